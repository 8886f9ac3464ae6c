import { isRecord } from "../../scripts-src/base/json.ts";
import {
  type Answer,
  type Bill,
  namesIn,
  serverSentEvent,
  textsIn,
  type Wire,
} from "./scripted-model.ts";

/** The Responses API as Codex uses it: POST /responses, answered as a stream. */
export const responsesWire: Wire = {
  read(path, body) {
    const { input, instructions, tools } = body;
    if (!/\/responses(?:\?|$)/.test(path) || !Array.isArray(input)) return undefined;
    // Of what is asked without tools only a summary is of the conversation.
    const isTurn = Array.isArray(tools) && tools.length > 0;
    if (!isTurn && !summarizes.test(textsIn(input.slice(-1)))) return undefined;
    return {
      context: textsIn([instructions, input]),
      ...latestIn(input),
      since: textsIn(input.slice(1 + input.findLastIndex(isOwn))),
      tools: namesIn(tools),
    };
  },
  modelOf: (_, { model }) => String(model),
  stream: (step, bill) =>
    [
      { type: "response.created", response: { id: idOf(bill) } },
      { type: "response.output_item.done", output_index: 0, item: itemOf(step, bill) },
      { type: "response.completed", response: { id: idOf(bill), usage: usageOf(bill) } },
    ]
      .map((event) => serverSentEvent(event, event.type))
      .join(""),
  aside: () => ({ models: [] }),
};

/** In a request of Codex for a summary of all that came before. */
export const summarizes = /handoff summary|CHECKPOINT COMPACTION/;

/** What came last: what a tool gave back, or else the user's words. */
function latestIn(input: readonly unknown[]) {
  const since = input.slice(1 + input.findLastIndex(isOwn)).filter(isRecord);
  const results = since.filter(({ type }) => String(type).endsWith("_call_output"));
  const called = results.length > 0;
  const said = since.filter(({ role }) => role === "user").slice(-1);
  return {
    latest: textsIn((called ? results : said).map(({ output, content }) => output ?? content)),
    called,
  };
}

function isOwn(item: unknown): boolean {
  return isRecord(item) && (item["role"] === "assistant" || String(item["type"]).endsWith("_call"));
}

function idOf({ count }: Bill): string {
  return `resp_scripted_${count}`;
}

function usageOf({ tokens }: Bill) {
  return {
    input_tokens: tokens - 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens,
  };
}

function itemOf(step: Answer, { count }: Bill): Record<string, unknown> {
  if ("say" in step) {
    const content = [{ type: "output_text", text: step.say }];
    return { type: "message", id: `msg_${count}`, role: "assistant", content };
  }
  const [name, input] = callOf(step);
  return {
    ...{ type: "function_call", id: `fc_${count}`, call_id: `call_${count}` },
    ...{ name, arguments: JSON.stringify(input) },
  };
}

function callOf(step: Exclude<Answer, { say: string }>) {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["exec_command", { cmd: `cat ${step.activate}` }];
  if ("read" in step) return ["exec_command", { cmd: `cat ${step.read}` }];
  if ("run" in step) return ["exec_command", { cmd: step.run }];
  return ["exec_command", { cmd: `cat >'${step.write}' <<'TEXT'\n${step.text}\nTEXT` }];
}
