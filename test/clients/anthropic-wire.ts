import { isRecord } from "../../scripts-src/base/json.ts";
import {
  type Answer,
  type Bill,
  namesIn,
  serverSentEvent,
  textsIn,
  type Wire,
} from "./scripted-model.ts";

/** The Messages API as Claude Code uses it: POST /v1/messages, answered as a stream. */
export const anthropicWire: Wire = {
  read(path, body) {
    const { messages, system, tools } = body;
    // A request without tools is the client's own business, such as a title, or an audit.
    const isTold = namesIn(tools).length > 0 || isAudit(textsIn(messages));
    const isTurn = /^\/v1\/messages(?:\?|$)/.test(path) && isTold;
    if (!isTurn || !Array.isArray(messages)) return undefined;
    return {
      context: textsIn([system, messages]),
      ...latestIn(messages),
      since: textsIn(messages.slice(1 + messages.findLastIndex(isOwn))),
      tools: namesIn(tools),
    };
  },
  modelOf: (_, { model }) => String(model),
  stream: (step, bill) => streamOf(step, bill, callOf),
  aside: (path) =>
    path.includes("count_tokens")
      ? { input_tokens: 1 }
      : {
          ...messageOf({ count: 0, model: "scripted", tokens: 2 }),
          content: [{ type: "text", text: "noted" }],
          stop_reason: "end_turn",
        },
};

/** Whether a client puts the packet of an audit before its model; OpenCode has a title made of it before. */
function isAudit(text: string): boolean {
  return /You are an auditor\./.test(text) && !/Generate a title/.test(text);
}

/** The same as OpenCode uses it, whose tools have other names. */
export const openCodeWire: Wire = {
  ...anthropicWire,
  stream: (step, bill) => streamOf(step, bill, openCodeCallOf),
};

type Call = (step: Exclude<Answer, { say: string }>) => unknown[];

function streamOf(step: Answer, bill: Bill, call: Call): string {
  const [block, delta, reason] = blockOf(step, bill.count, call);
  return [
    started(bill),
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ]
    .map((event) => serverSentEvent(event, event.type))
    .join("");
}

/** The last user message without the reminders that the client adds to it. */
function latestIn(messages: readonly unknown[]) {
  const said = messages.filter((message) => isRecord(message) && message["role"] === "user");
  const content = said.map((message) => (isRecord(message) ? message["content"] : "")).at(-1);
  if (!Array.isArray(content)) return { latest: textsIn(content), called: false };
  const results = content.filter((part) => isRecord(part) && part["type"] === "tool_result");
  const called = results.length > 0;
  const parts = called ? results : content;
  const bodies = parts.map((part) => (isRecord(part) ? (part["content"] ?? part["text"]) : ""));
  return { latest: textsIn(bodies), called };
}

function isOwn(message: unknown): boolean {
  return isRecord(message) && message["role"] === "assistant";
}

/** Most of a long context is read from the cache. */
function messageOf({ count, model, tokens }: Bill) {
  return {
    id: `msg_scripted_${count}`,
    type: "message",
    role: "assistant",
    model,
    stop_sequence: null,
    usage: { input_tokens: 1, cache_read_input_tokens: tokens - 2, output_tokens: 1 },
  };
}

function started(bill: Bill) {
  return {
    type: "message_start",
    message: { ...messageOf(bill), content: [], stop_reason: null },
  };
}

function blockOf(step: Answer, count: number, call: Call) {
  if ("say" in step)
    return [{ type: "text", text: "" }, { type: "text_delta", text: step.say }, "end_turn"];
  const [name, input] = call(step);
  return [
    { type: "tool_use", id: `toolu_scripted_${count}`, name, input: {} },
    { type: "input_json_delta", partial_json: JSON.stringify(input) },
    "tool_use",
  ];
}

function callOf(step: Exclude<Answer, { say: string }>) {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["Skill", { skill: step.activate }];
  if ("read" in step) return ["Read", { file_path: step.read }];
  if ("write" in step) return ["Write", { file_path: step.write, content: step.text }];
  return ["Bash", { command: step.run, description: "Run a script of the skill" }];
}

function openCodeCallOf(step: Exclude<Answer, { say: string }>) {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["skill", { name: step.activate }];
  if ("read" in step) return ["read", { filePath: step.read }];
  if ("write" in step) return ["write", { filePath: step.write, content: step.text }];
  return ["bash", { command: step.run, description: "Run a script of the skill" }];
}
