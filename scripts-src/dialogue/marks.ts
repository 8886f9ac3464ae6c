import { parseCheckSpec } from "../protocol/check-spec.ts";
import { seenBy, validClaims } from "./claims.ts";
import { openLine } from "./obligations.ts";
import { type DialogueState, hasEnded, type Mark, sideOf } from "./state.ts";

/** All that a script noticed, with what nobody has answered until now. */
export function marksOf(state: DialogueState): Mark[] {
  const asides = state.obligations.filter(({ code }) => code === "aside");
  const open = asides.flatMap((aside): Mark[] => {
    const { by, id } = aside;
    const seq = seqIn(id);
    // A participant that has written nothing since may yet answer.
    if (!hasEnded(state) && seq > sideOf(state, by).lastDraft.seq) return [];
    return [{ code: "unanswered_prose", by, seq, text: openLine(aside) }];
  });
  return [...state.marks, ...open, ...hollowClaims(state), ...vendorMark(state)];
}

/** Of `P12.1` the 12. */
function seqIn(id: string): number {
  return Number.parseInt(id.slice(1), 10);
}

/** That lines are there shows nothing of what they say. */
function hollowClaims(state: DialogueState): Mark[] {
  return validClaims(state).flatMap((claim) => {
    const { id, by, spec, expect } = claim;
    const parsed = parseCheckSpec(spec);
    const isHollow = expect === "" && !("fault" in parsed) && parsed.kind === "lines";
    if (!isHollow || seenBy(claim).length === 0) return [];
    const text = `${id} of ${by} expects no words of its lines: compare them with what it says`;
    return [{ code: "expects_nothing", by, seq: seqIn(id), text }];
  });
}

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

/**
 * Models of one vendor err together: two of them count for little more than one. What a side named as
 * its model in `meta` counts before its own name.
 */
function vendorMark({ participants, models }: DialogueState): Mark[] {
  const named = participants.map((name) => models.find(({ by }) => by === name)?.model ?? name);
  const [one, other] = named.map(
    (it) => vendors.find(([, names]) => names.test(it.toLowerCase()))?.[0],
  );
  if (one === undefined || one !== other) return [];
  const text = `the same vendor on both sides: ${one} runs both (${named.join(" and ")})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}
