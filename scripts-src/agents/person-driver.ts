import { messageTypes } from "../core/dialogue/message.ts";
import { isRecord, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";

/** The person at the terminal. */
export interface Person {
  show(text: string): void;
  /** One line of the person's; undefined when it ended its input or `signal` fired. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Thrown inside a turn when the person gives no more input. */
class InputEnded extends Error {}

/**
 * Gives the turn to the person at the terminal: shows where the session stands, asks for what the
 * draft holds, field by field, and after a refusal asks again with the former answers at hand.
 */
export function personDriver(person: Person): Driver {
  let former = new Map<string, string>();
  return {
    name: "me",
    // A person is told what is wrong as often as it takes; --time-limit still ends the run.
    triesMax: Number.POSITIVE_INFINITY,
    async takeTurn(turn, signal) {
      if (turn.fault === undefined) former = new Map();
      person.show(
        turn.fault === undefined
          ? `\n${turn.situation}\nAnswer line by line; Enter takes what is in [brackets].\n`
          : `\nThat did not go through: ${turn.fault}\nOnce more; Enter keeps what you wrote.\n`,
      );
      try {
        const message = await new Form(person, signal, former).message(turn);
        return { answer: `\`\`\`json\n${JSON.stringify(message)}\n\`\`\``, exitCode: 0 };
      } catch (cause) {
        if (!(cause instanceof InputEnded)) throw cause;
        return endOfInput(turn);
      }
    },
  };
}

function endOfInput({ participant }: Turn): TurnResult {
  return { answer: "", exitCode: 1, failure: `${participant} ended the input`, left: true };
}

/** One round of questions; what was answered is remembered for the next. */
class Form {
  readonly #person: Person;
  readonly #signal: AbortSignal;
  readonly #former: Map<string, string>;

  constructor(person: Person, signal: AbortSignal, former: Map<string, string>) {
    this.#person = person;
    this.#signal = signal;
    this.#former = former;
  }

  async message({ guidance, fault }: Turn): Promise<JsonValue> {
    const { type: proposed, question_or_proposal: _content, ...owed } = guidance.draft ?? {};
    const type = await this.#choice("type", messageTypes, String(proposed ?? "RESPONSE"));
    const content = await this.#paragraph("content");
    const questions = await this.#paragraph(
      "questions to your colleague, one a line (Enter: none)",
    );
    const message: JsonObject = {
      type,
      question_or_proposal: {
        content,
        ...(questions === "" ? {} : { specific_questions: questions.split("\n") }),
      },
      ...(/EVALUATE|COUNTER_PROPOSE/.test(type) ? await this.#objection() : {}),
    };
    for (const [name, value] of Object.entries(owed)) {
      const asksConfidence = /RESPONSE|EVALUATE|COUNTER_PROPOSE|AGREE/.test(type);
      if (value === undefined || name === "references") continue;
      if (name !== "confidence" || asksConfidence) message[name] = await this.#fill(name, value);
    }
    return fault === undefined ? message : { ...message, ...(await this.#more()) };
  }

  /** Fills the places of a draft: `...` is a text, `a|b` a choice, a number a number. */
  async #fill(label: string, value: JsonValue): Promise<JsonValue> {
    if (value === "...") return this.#line(label, "");
    if (typeof value === "number") return this.#number(label, value);
    if (typeof value === "string" && /^\w+(?:\|\w+)+$/.test(value)) {
      return this.#choice(label, value.split("|"), "");
    }
    if (Array.isArray(value)) {
      const filled: JsonValue[] = [];
      for (const [index, entry] of value.entries())
        filled.push(await this.#fill(`${label}[${index + 1}]`, entry));
      return filled;
    }
    if (!isRecord(value)) return value;
    const filled: JsonObject = {};
    for (const [name, part] of Object.entries(value))
      if (part !== undefined) filled[name] = await this.#fill(labelOf(label, name, value), part);
    return filled;
  }

  async #objection(): Promise<JsonObject> {
    const point = await this.#line("your objection: the point (Enter: none)", "-");
    if (point === "-") return {};
    const because = await this.#line("because", "");
    const about = await this.#choice("about", ["fact", "judgement"], "judgement");
    const strong = await this.#line("what is strong in your colleague's position", "");
    return { objections: [{ point, because, about }], acknowledged: [strong] };
  }

  /** Whatever the refusal asked for beside the draft, such as `resolved`. */
  async #more(): Promise<JsonObject> {
    for (;;) {
      const label = 'more fields, as JSON, such as {"resolved": [...]}';
      const text = await this.#askWithDefault(label, this.#former.get(label) ?? "{}");
      try {
        const value: JsonValue = JSON.parse(text);
        if (isRecord(value)) {
          this.#remember(label, text);
          return { ...value };
        }
      } catch {
        // Asked again below, like anything that is no object.
      }
      this.#person.show("That is no JSON object.\n");
    }
  }

  async #choice(label: string, choices: readonly string[], usual: string): Promise<string> {
    for (;;) {
      const known = this.#former.get(label) ?? usual;
      const said = await this.#askWithDefault(`${label}: ${choices.join(", ")}`, known);
      const found = choices.find((choice) => choice.toLowerCase() === said.toLowerCase());
      if (found !== undefined) return this.#remember(label, found);
      this.#person.show(`Please write one of: ${choices.join(", ")}\n`);
    }
  }

  async #number(label: string, usual: number): Promise<number> {
    for (;;) {
      const known = this.#former.get(label) ?? String(usual);
      const said = await this.#askWithDefault(`${label}, 0 to 1`, known);
      if (/^[\d.]+$/.test(said) && Number(said) <= 1) return Number(this.#remember(label, said));
      this.#person.show("Please write a number from 0 to 1, such as 0.8\n");
    }
  }

  /** Lines up to an empty one. */
  async #paragraph(label: string): Promise<string> {
    const kept = this.#former.get(label);
    this.#person.show(`${label}, then an empty line${kept ? " (at once: as before)" : ""}:\n`);
    const lines: string[] = [];
    for (let line = await this.#ask("  "); line !== ""; line = await this.#ask("  "))
      lines.push(line);
    const said = lines.length > 0 ? lines.join("\n") : (kept ?? "");
    this.#former.set(label, said);
    return said;
  }

  async #line(label: string, usual: string): Promise<string> {
    const known = this.#former.get(label) ?? usual;
    return this.#remember(label, await this.#askWithDefault(label, known));
  }

  async #askWithDefault(label: string, known: string): Promise<string> {
    return (await this.#ask(`${label}${known === "" ? "" : ` [${known}]`}: `)) || known;
  }

  #remember(label: string, said: string): string {
    this.#former.set(label, said);
    return said;
  }

  async #ask(question: string): Promise<string> {
    const line = await this.#person.ask(question, this.#signal);
    if (line === undefined) throw new InputEnded();
    return line.trim();
  }
}

/** Names the thing that an entry is about: its question, claim or point. */
function labelOf(label: string, name: string, entry: Record<string, unknown>): string {
  const about = entry["question"] ?? entry["claim"] ?? entry["point"];
  return typeof about === "string" && about !== "..."
    ? `${label} ${about}: ${name}`
    : `${label} ${name}`;
}
