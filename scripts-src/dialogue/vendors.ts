import type { DialogueState } from "./state.ts";
import type { Mark } from "./trust.ts";

/** Whose models they are, by the names that people and CLIs give them. */
const vendors: readonly [vendor: string, names: RegExp][] = [
  ["Anthropic", /claude|opus|sonnet|haiku|anthropic/],
  ["Google", /gemini|gemma|google|antigravity/],
  ["OpenAI", /gpt|codex|openai|(?:^|[^a-z])o[1-9](?![a-z0-9])/],
  ["Meta", /llama/],
  ["Mistral", /mistral|devstral|codestral|^vibe/],
  ["Alibaba", /qwen/],
  ["DeepSeek", /deepseek/],
  ["Moonshot", /kimi/],
  ["xAI", /grok/],
];

function vendorOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  return vendors.find(([, names]) => names.test(lower))?.[0];
}

/**
 * Models of one vendor err together: two of them count for little more than one. What a side named as
 * its model in `meta` counts before its own name.
 */
export function vendorMark({ participants, trust }: DialogueState): Mark[] {
  const models = participants.map(
    (name) => trust.models.find(({ by }) => by === name)?.model ?? name,
  );
  const [one, other] = models.map(vendorOf);
  if (one === undefined || one !== other) return [];
  const text = `the same vendor on both sides: ${one} runs both (${models.join(" and ")})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}
