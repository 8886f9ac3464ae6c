import { isRecord } from "../../scripts-src/base/json.ts";
import {
  type Answer,
  type Bill,
  namesIn,
  serverSentEvent,
  textsIn,
  type Wire,
} from "./scripted-model.ts";

type Call = (step: Exclude<Answer, { say: string }>) => unknown[];

/** Chat completions, as Qwen Code and Copilot use them: POST /chat/completions, answered as a stream. */
function chatWire(callOf: Call): Wire {
  return {
    read(path, body) {
      const { messages, tools } = body;
      const isTurn = path.includes("/chat/completions") && Array.isArray(tools);
      if (!isTurn || !Array.isArray(messages)) return undefined;
      const since = messages.slice(1 + messages.findLastIndex(isOwn)).filter(isRecord);
      const last = since.at(-1);
      return {
        context: textsIn(messages.map((it) => (isRecord(it) ? it["content"] : ""))),
        latest: textsIn(last?.["content"]),
        called: last?.["role"] === "tool",
        since: textsIn(since.map(({ content }) => content)),
        tools: namesIn(tools.map((it) => (isRecord(it) ? it["function"] : it))),
      };
    },
    modelOf: (_, { model }) => String(model),
    stream: (step, bill) => {
      const [delta, reason] = deltaOf(step, bill, callOf);
      return `${chunk(bill, delta, null)}${chunk(bill, {}, reason)}data: [DONE]\n\n`;
    },
    aside: () => {
      const message = { role: "assistant", content: "noted" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return { id: "aside", object: "chat.completion", created: 1, model: "scripted", choices };
    },
  };
}

function isOwn(message: unknown): boolean {
  return isRecord(message) && message["role"] === "assistant";
}

function deltaOf(step: Answer, { count }: Bill, callOf: Call) {
  if ("say" in step) return [{ role: "assistant", content: step.say }, "stop"];
  const [name, input] = callOf(step);
  const call = { name, arguments: JSON.stringify(input) };
  const tool_calls = [{ index: 0, id: `call_${count}`, type: "function", function: call }];
  return [{ role: "assistant", content: null, tool_calls }, "tool_calls"];
}

function chunk({ count, model, tokens }: Bill, delta: unknown, finish_reason: unknown): string {
  return serverSentEvent({
    ...{ id: `chat_${count}`, object: "chat.completion.chunk", created: 1, model },
    choices: [{ index: 0, delta, finish_reason }],
    usage: { prompt_tokens: tokens - 1, completion_tokens: 1, total_tokens: tokens },
  });
}

export const qwenWire = chatWire((step) => {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["skill", { skill: step.activate }];
  if ("read" in step) return ["read_file", { file_path: step.read }];
  if ("write" in step) return ["write_file", { file_path: step.write, content: step.text }];
  return ["run_shell_command", { command: step.run, description: "Run", is_background: false }];
});

export const copilotWire = chatWire((step) => {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["skill", { skill: step.activate }];
  if ("read" in step) return ["view", { path: step.read }];
  if ("write" in step) return ["create", { path: step.write, file_text: step.text }];
  return ["bash", { command: step.run, description: "Run" }];
});
