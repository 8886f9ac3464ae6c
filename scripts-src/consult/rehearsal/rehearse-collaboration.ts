import { resolve } from "node:path";
import { limits } from "../../base/limits.ts";
import { shortLine } from "../../clis/short-line.ts";
import { readFileIfPresent, writeFileAtomically } from "../../files/atomic-file.ts";
import type { Move } from "../../protocol/protocol.ts";
import { assumption, measureAssumption, optionsIn, withoutQuotes } from "./project-survey.ts";
import {
  type Act,
  askNext,
  atItsEnd,
  dryRunMark,
  type PrintedNext,
  type RehearsalTurn,
  rehearsalRemark,
  runOwnScript,
  whoAndWhere,
} from "./scripted-peer.ts";

/**
 * A scripted participant of a collaboration: it writes the documents that the first event of
 * `next-action` needs, and appends that event. It has no plan beyond that.
 */
export async function rehearseCollaboration(
  next: PrintedNext,
  turn: RehearsalTurn,
): Promise<Act | undefined> {
  if (next.guidance.turn !== "yours") return undefined;
  const desk = deskOf(next, turn);
  const obstacle = obstacleTo(desk);
  if (obstacle !== undefined) return block(desk, obstacle);
  const due = edits[desk.event] ?? {};
  for (const [name, write] of Object.entries(due)) edit(desk, name, (text) => write(text, desk));
  // Written documents change what is owed, and the hash of what is frozen.
  const now = Object.keys(due).length === 0 ? desk : deskOf(await askNext(turn), turn);
  const { move } = now;
  // Only a review has an `input`: its form, which `reviewOf` fills in; nothing else is owed before a review.
  const [owed] = move.input === undefined ? now.next.guidance.obligations : [];
  if (owed !== undefined) return block(now, owed);
  const { sha256 } = move.options;
  if (sha256 !== undefined)
    edit(now, "readiness.md", (text) =>
      text.replace(/^- SHA-256:.*$/m, `- SHA-256: \`${sha256}\``),
    );
  const review = typeof move.input === "string" ? reviewOf(now, move.input) : "";
  return append(now, move, summaryOf(now), review);
}

/** What the peer knows of the session in its turn. */
interface Desk {
  readonly next: PrintedNext;
  readonly turn: RehearsalTurn;
  /** The event that `next-action` expects. */
  readonly move: Move;
  readonly event: string;
  /** The decision that it writes into its documents, in one sentence. */
  readonly answer: string;
  /** Whether this is the first participant that does not own the proposal: only that one requires a change. */
  readonly isFirstReviewer: boolean;
}

function deskOf(next: PrintedNext, turn: RehearsalTurn): Desk {
  const { topic, participants, initiator } = next.standing;
  const [move] = next.guidance.moves;
  if (move === undefined) throw atItsEnd("next-action offers no event");
  const { first, second } = optionsIn(topic);
  const answer = `Take "${first}" first, in a form that is easy to revert, and keep "${second}" as the fallback.`;
  const reviewer = participants.find((name) => name !== initiator);
  const isFirstReviewer = reviewer === turn.participant;
  const event = move.options["event"] ?? "";
  return { next, turn, move, event, answer, isFirstReviewer };
}

const wayBack = "## Way Back";
const requiredChange = `Add a section "${wayBack}" to proposal.md that says how this is undone.`;

/** What only a person or a real agent can do. */
function obstacleTo(desk: Desk): string | undefined {
  const { event, isFirstReviewer } = desk;
  const asked = askedInReviews(desk);
  const stranger = asked.find(({ text }) => text !== requiredChange);
  if (event === "unblocked") throw atItsEnd("only a person can say that a blocker is gone");
  if (event === "proposal_revised" && stranger !== undefined)
    return `a script cannot ${stranger.isQuestion ? "answer this" : "make this change"}: ${stranger.text}`;
  return event === "decision_accepted" && isFirstReviewer && asked.length > 0 && lacksWayBack(desk)
    ? `a change that I required is not made: ${requiredChange}`
    : undefined;
}

function lacksWayBack(desk: Desk): boolean {
  return !textIn(desk, "proposal.md").includes(`\n${wayBack}\n`);
}

/** What the reviews require and ask, with the ids that `append-event` gave it. */
function askedInReviews(desk: Desk) {
  const parts = textIn(desk, "review.md").split(/^(?=## |[A-Z][A-Za-z ]*:\s*$)/m);
  return parts.flatMap((part) => {
    const [, label] = /^(Required Changes|Questions):/.exec(part) ?? [];
    const entries = part.matchAll(/^- (?:([RQ]\d+\.\d+): )?(?!None\b|<)(.*\S)\s*$/gim);
    const isQuestion = label === "Questions";
    return label === undefined
      ? []
      : [...entries].map(([, id = "", text = ""]) => ({ id, text, isQuestion }));
  });
}

type Write = (text: string, desk: Desk) => string;

/** The documents that an event needs, with how each is written. */
const edits: Readonly<Record<string, Readonly<Record<string, Write>>>> = {
  deliverable_drafted: { deliverable: fillSections },
  proposal_submitted: { "proposal.md": writeProposal },
  proposal_revised: { "proposal.md": reviseProposal, "decisions.md": writeDecisions },
  question_classified: { "decisions.md": writeDecisions, "readiness.md": classify },
  deliverable_frozen: { deliverable: freeze },
  readiness_passed: { "readiness.md": (text) => text.replace("- [ ] Ready to", "- [x] Ready to") },
  completed: {
    "readiness.md": (text) => text.replaceAll("\n- [ ] ", "\n- [x] "),
    "conclusion.md": conclude,
  },
};

/** Changes a document, where this participant may write it now. */
function edit(desk: Desk, name: string, write: (text: string) => string): void {
  const { doc = "" } = desk.move.options;
  const file = name === "deliverable" ? doc.replace(/^external:/, "") : name;
  const { documents } = desk.next.guidance;
  const path = documents.find((it) => it === file || it.endsWith(`/${file}`));
  if (path !== undefined)
    writeFileAtomically(resolve(desk.turn.place.folder, path), write(textIn(desk, path)));
}

function textIn({ turn }: Desk, path: string): string {
  return readFileIfPresent(resolve(turn.place.folder, path), limits.messageBytes) ?? "";
}

function fillSections(text: string): string {
  return text
    .replace(/^<!-- Fill in every section\..*-->$/m, dryRunMark)
    .replace(/^(## .*)\n(?:[^\S\n]*\n)*(?=## |$(?![\s\S]))/gm, `$1\n\n${canned}\n\n`);
}

function freeze(text: string, desk: Desk): string {
  const titles = textIn(desk, "decisions.md").matchAll(/^### (D\d+\..*)$/gm);
  const lines = [...titles].map(([, title = ""]) => `- Accepted: ${title.trim()}`);
  const whole = fillSections(text).replace(/^(Status: *)(?:Draft|In Review) *$/m, "$1Frozen");
  const fresh = lines.filter((line) => !whole.includes(line));
  return [whole.trimEnd(), ...(fresh.length > 0 ? ["", ...fresh] : []), ""].join("\n");
}

/** Stands where a real participant would write something of its own. */
const canned = `- ${dryRunMark} A real agent would write this.`;

function writeProposal(text: string, { answer, next }: Desk): string {
  const current = `${dryRunMark} On "${withoutQuotes(next.standing.topic)}": ${answer}`;
  return fillBlanks(text, (heading) => (heading === "Current Proposal" ? current : canned));
}

function reviseProposal(text: string, desk: Desk): string {
  const undone = `- ${dryRunMark} The old way stays in place until the first step has passed its measure.`;
  return askedInReviews(desk).length === 0 ? text : withSection(text, wayBack, undone);
}

function writeDecisions(text: string, { answer }: Desk): string {
  const begun = text.replace(/^- <TBD.*>$/m, dryRunMark);
  if (begun.includes(answer)) return begun;
  const id = `D${[...begun.matchAll(/^### D\d+\./gm)].length + 1}`;
  const [, reflected = "`proposal.md`"] = /^- Reflected in: (.+)$/m.exec(begun) ?? [];
  const rationale = "The smallest step that can be judged, and that can be taken back.";
  const lines = [
    `- Decision: ${answer}`,
    `- Rationale: ${rationale}`,
    `- Reflected in: ${reflected}`,
  ];
  return withSection(begun, `### ${id}. The first step`, lines.join("\n"));
}

/** Classifies what a script can know, and answers the change that it made. */
function classify(text: string, desk: Desk): string {
  const change = "What numbers from real use would change this decision later?";
  const { isRefuted, evidence } = measureAssumption();
  const outcome = isRefuted ? "refuted" : "confirmed";
  const own = [
    `- [resolved] Is it true that ${assumption}? It is ${outcome}, measured: ${evidence}.`,
    `- [deferred_nonblocking] ${change} Reason: they are known only once it is in use.`,
  ];
  const made = askedInReviews(desk).flatMap(({ id }) =>
    id === "" || text.includes(`] ${id}: `) ? [] : [`- [resolved] ${id}: made in proposal.md.`],
  );
  const listed = [...(text.includes(change) ? [] : own), ...made].join("\n");
  const blank = /^- \[unresolved\] <TBD.*$/m;
  if (blank.test(text)) return text.replace(blank, () => listed);
  return text.replace(/^## Open Question Classification\s*$/m, (line) => `${line}\n\n${listed}`);
}

function conclude(text: string, desk: Desk): string {
  const ids = textIn(desk, "decisions.md").match(/(?<=^### )D\d+(?=\.)/gm) ?? [];
  const [, hash = "not recorded"] =
    /^- SHA-256: (`\w+`)$/m.exec(textIn(desk, "readiness.md")) ?? [];
  const words: Readonly<Record<string, string>> = {
    "Decision Outcome": `- [proceed] ${desk.answer}`,
    "Accepted Decisions": `- ${ids.join(", ")} of decisions.md.`,
    "Accepted Decisions Summary": `- ${ids.join(", ")} of decisions.md.`,
    "Deferred Follow-ups": "- What readiness.md defers, with the reason there.",
    "Implementation Blockers": "- None.",
  };
  const body = text.replace(
    /^[\s\S]*?(?=^## )/m,
    `# Conclusion\n\n${dryRunMark} ${rehearsalRemark}\n\n`,
  );
  return fillBlanks(body, (heading, line) => {
    const [, name] = /^- ([^:]+): <TBD/.exec(line) ?? [];
    if (name === "SHA-256") return `- SHA-256: ${hash}`;
    if (name !== undefined) return `- ${name}: ticked by a script, which cannot judge it`;
    return words[heading] ?? canned;
  });
}

/** A document with other words for each line that its template left open. */
function fillBlanks(text: string, words: (heading: string, line: string) => string): string {
  let heading = "";
  const lines = text.split("\n").map((line) => {
    heading = /^##\s+(.*\S)/.exec(line)?.[1] ?? heading;
    return line.includes("TBD") && !line.startsWith("#") ? words(heading, line) : line;
  });
  return lines.join("\n");
}

function withSection(text: string, heading: string, body: string): string {
  return text.includes(`\n${heading}\n`) ? text : `${text.trimEnd()}\n\n${heading}\n\n${body}\n`;
}

/** The form of a review, filled in. */
function reviewOf(desk: Desk, form: string): string {
  const requires = desk.isFirstReviewer && lacksWayBack(desk);
  const position = `Accept${requires ? " with changes" : ""}: the first step can be judged.`;
  const said: Readonly<Record<string, string>> = {
    Position: `${dryRunMark} ${position}`,
    "Required Changes": requires ? requiredChange : "None.",
  };
  const place = /^([A-Z][A-Za-z ]*):\n- <.*>$/gm;
  return form.replace(place, (_, label) => `${label}:\n- ${said[label] ?? "None."}`);
}

function summaryOf({ event, answer }: Desk): string {
  if (event === "proposal_submitted" || event === "completed") return answer;
  return event === "decision_accepted"
    ? "nothing that I required is missing, and no question is left open"
    : "done as next-action says";
}

/** Appends `blocked` with the reason, where a script must not pretend. Throws where that is not offered. */
function block(desk: Desk, reason: string): Act {
  const offer = desk.next.guidance.moves.find(({ options }) => options["event"] === "blocked");
  if (offer === undefined) throw atItsEnd(reason);
  return append(desk, offer, reason, "");
}

function append({ turn }: Desk, { options }: Move, said: string, input: string): Act {
  const summary = shortLine(`[dry run script] ${said}`, limits.summaryCharacters);
  const flags = Object.entries({ ...options, summary }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const send = () => runOwnScript(turn, "append-event", [...whoAndWhere(turn), ...flags], input);
  return { name: options["event"] ?? "", send };
}
