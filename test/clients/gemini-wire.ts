import { isRecord } from "../../scripts-src/base/json.ts";
import {
  type Answer,
  type Bill,
  namesIn,
  serverSentEvent,
  textsIn,
  type Wire,
} from "./scripted-model.ts";

/** The Gemini API as Gemini CLI uses it: POST models/NAME:streamGenerateContent?alt=sse. */
export const geminiWire: Wire = {
  read(path, body) {
    const { contents, systemInstruction, tools } = body;
    const isTurn = path.includes(":streamGenerateContent") && Array.isArray(tools);
    if (!isTurn || !Array.isArray(contents)) return undefined;
    return {
      context: textsIn([systemInstruction, contents]),
      ...latestIn(contents),
      since: textsIn(contents.slice(1 + contents.findLastIndex(isOwn))),
      tools: namesIn(tools),
    };
  },
  modelOf: (path) => /models\/([^:]+)/.exec(path)?.[1] ?? "",
  stream: (step, bill) => serverSentEvent(response(partOf(step), bill)),
  // Without a model on its command line the client asks which one suits the prompt.
  aside: (path) => {
    const choice = { reasoning: "scripted", model_choice: "flash", complexity_score: 1 };
    return path.includes("countTokens")
      ? { totalTokens: 1 }
      : response({ text: JSON.stringify(choice) }, { count: 0, model: "scripted", tokens: 2 });
  },
};

function latestIn(contents: readonly unknown[]) {
  const said = contents.filter((entry) => isRecord(entry) && entry["role"] === "user").at(-1);
  const parts = isRecord(said) && Array.isArray(said["parts"]) ? said["parts"] : [];
  const results = parts.flatMap((part) =>
    isRecord(part) && isRecord(part["functionResponse"])
      ? [part["functionResponse"]["response"]]
      : [],
  );
  const called = results.length > 0;
  return { latest: textsIn(called ? results : parts), called };
}

function isOwn(entry: unknown): boolean {
  return isRecord(entry) && entry["role"] === "model";
}

function response(part: Record<string, unknown>, { model, tokens }: Bill) {
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: tokens - 1,
      candidatesTokenCount: 1,
      totalTokenCount: tokens,
    },
    modelVersion: model,
  };
}

function partOf(step: Answer): Record<string, unknown> {
  if ("say" in step) return { text: step.say };
  const [name, args] = callOf(step);
  return { functionCall: { name, args } };
}

function callOf(step: Exclude<Answer, { say: string }>) {
  if ("call" in step) return [step.call, step.input];
  if ("activate" in step) return ["activate_skill", { name: step.activate }];
  if ("read" in step) return ["read_file", { file_path: step.read }];
  if ("write" in step) return ["write_file", { file_path: step.write, content: step.text }];
  return ["run_shell_command", { command: step.run, description: "Run a script of the skill" }];
}
