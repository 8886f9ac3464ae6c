import { isJsonObject, isRecord, type JsonObject, type JsonValue } from "../base/json.ts";
import { messageTypes } from "../dialogue/message.ts";
import type { Turn } from "./driver.ts";
import type { PersonForm } from "./person.ts";

/** Asks a person for a message of a dialogue: for what the draft holds, field by field. */
export async function askMessage(form: PersonForm, { guidance, fault }: Turn): Promise<JsonObject> {
  const draft = guidance.moves[0]?.input;
  const fields = typeof draft !== "string" && isJsonObject(draft) ? draft : {};
  const { type: proposed, question_or_proposal: _content, ...owed } = fields;
  // Where the draft leaves the choice, nobody agrees by a mere Enter.
  const [usual = ""] = String(proposed ?? "RESPONSE")
    .split("|")
    .slice(-1);
  const type = await form.choice("type", messageTypes, usual);
  const content = await form.paragraph("content");
  const questions = await form.paragraph("questions to your peer, one a line (Enter: none)");
  const message: JsonObject = {
    type,
    question_or_proposal: {
      content,
      ...(questions === "" ? {} : { specific_questions: questions.split("\n") }),
    },
    ...(/EVALUATE|COUNTER_PROPOSE/.test(type) ? await askObjection(form) : {}),
  };
  for (const [name, value] of Object.entries(owed)) {
    const asksConfidence = /RESPONSE|EVALUATE|COUNTER_PROPOSE|AGREE/.test(type);
    if (value === undefined || name === "references") continue;
    if (name !== "confidence" || asksConfidence) message[name] = await fill(form, name, value);
  }
  return fault === undefined ? message : { ...message, ...(await askMore(form)) };
}

/** Fills the places of a draft: `...` is a text, `a|b` a choice, a number a number. */
async function fill(form: PersonForm, label: string, value: JsonValue): Promise<JsonValue> {
  if (value === "...") return form.line(label, "");
  if (typeof value === "number") return form.number(label, value);
  if (typeof value === "string" && /^\w+(?:\|\w+)+$/.test(value)) {
    return form.choice(label, value.split("|"), "");
  }
  if (Array.isArray(value)) {
    const filled: JsonValue[] = [];
    for (const [index, entry] of value.entries())
      filled.push(await fill(form, `${label}[${index + 1}]`, entry));
    return filled;
  }
  if (!isRecord(value)) return value;
  const filled: JsonObject = {};
  for (const [name, part] of Object.entries(value))
    if (part !== undefined) filled[name] = await fill(form, labelOf(label, name, value), part);
  return filled;
}

async function askObjection(form: PersonForm): Promise<JsonObject> {
  const point = await form.line("your objection: the point (Enter: none)", "-");
  if (point === "-") return {};
  const because = await form.line("because", "");
  const about = await form.choice("about", ["fact", "judgement"], "judgement");
  const strong = await form.line("what is strong in your peer's position", "");
  return { objections: [{ point, because, about }], acknowledged: [strong] };
}

/** Whatever the refusal asked for beside the draft, such as `resolved`. */
async function askMore(form: PersonForm): Promise<JsonObject> {
  for (;;) {
    const label = 'more fields, as JSON, such as {"resolved": [...]}';
    const text = await form.askWithDefault(label, form.former(label) ?? "{}");
    try {
      const value: JsonValue = JSON.parse(text);
      if (isRecord(value)) {
        form.remember(label, text);
        return { ...value };
      }
    } catch {
      // Asked again below, like anything that is no object.
    }
    form.show("That is no JSON object.\n");
  }
}

/** Names the thing that an entry is about: its question, claim or point. */
function labelOf(label: string, name: string, entry: Record<string, unknown>): string {
  const about = entry["question"] ?? entry["claim"] ?? entry["point"];
  return typeof about === "string" && about !== "..."
    ? `${label} ${about}: ${name}`
    : `${label} ${name}`;
}
