import { inline } from "../base/json.ts";
import { doubtsOf } from "../protocol/figures.ts";
import { decisionIn } from "./audit.ts";
import { changedIn, changedText, isValid, lastMet, validClaims } from "./claims.ts";
import { openLine } from "./obligations.ts";
import { names } from "./prose.ts";
import { type Claim, type DialogueState, hasEnded, type Mark, sideOf } from "./state.ts";

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
  return [...state.marks, ...open, ...claimMarks(state), ...vendorMark(state)];
}

/** Of `P12.1` the 12. */
function seqIn(id: string): number {
  return Number.parseInt(id.slice(1), 10);
}

/** What anyone has to know who compares the claims with what was seen, and with the decision. */
function claimMarks(state: DialogueState): Mark[] {
  const valid = validClaims(state);
  return state.claims.flatMap((claim) => {
    const { id, by, text } = claim;
    const changed = changedIn(claim);
    const seen = valid.includes(claim) ? lastMet(state, claim) : undefined;
    const told = [
      ...(seen === undefined || changed.length === 0 ? [] : [changedText(changed)]),
      ...(seen === undefined ? [] : doubtsOf(seen, text)),
      ...(isStillSaid(state, claim)
        ? [`withdrawn, and still in the decision: ${inline(text)}`]
        : []),
    ].map((it) => `${id} of ${by}: ${it}`);
    return told.map((it): Mark => ({ code: "doubt", by, seq: seqIn(id), text: it }));
  });
}

/** Whether a claim fell and its words are in the decision, and no claim that still counts says the same. */
function isStillSaid(state: DialogueState, claim: Claim): boolean {
  const { position = "", text = "" } = decisionIn(state) ?? {};
  if (isValid(claim) || !names(claim.text, `${position}\n${text}`)) return false;
  return !validClaims(state).some((it) => names(claim.text, it.text));
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

/** Whose model a name is of; undefined for one that says nothing of that. */
export function vendorOf(name: string): string | undefined {
  return vendors.find(([, names]) => names.test(name.toLowerCase()))?.[0];
}

/**
 * Models of one vendor err together: two of them count for little more than one. What a side named as
 * its model in `meta` counts before its own name.
 */
function vendorMark({ participants, models }: DialogueState): Mark[] {
  const named = participants.map((name) => models.find(({ by }) => by === name)?.model ?? name);
  const [one, other] = named.map(vendorOf);
  if (one === undefined || one !== other) return [];
  const text = `the same vendor on both sides: ${one} runs both (${named.join(" and ")})`;
  return [{ code: "same_vendor", by: "", seq: 1, text }];
}
