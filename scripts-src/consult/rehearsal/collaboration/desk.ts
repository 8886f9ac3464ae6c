import { resolve } from "node:path";
import { isRecord, isStringArray } from "../../../base/json.ts";
import { limits } from "../../../base/limits.ts";
import { shortLine } from "../../../clis/short-line.ts";
import { hasPlaceholder } from "../../../collaboration/rules/conclusion-document.ts";
import { readFileIfPresent } from "../../../files/atomic-file.ts";
import { type Options, optionsOf } from "../options-of.ts";
import { projectOf, type RehearsalTurn } from "../run-sibling.ts";

/** An event that `next-action` offers, with the options to append it with. */
export interface Offer {
  readonly options: Readonly<Record<string, string>>;
  /** The form of the text that goes with it. */
  readonly form: string;
}

/** What a scripted colleague sees when it has the turn: `next-action`, and the documents on disk. */
export interface Desk {
  readonly me: string;
  /** Its place among those who do not own the proposal; -1 for the owner. */
  readonly seat: number;
  readonly project: string;
  readonly folder: string;
  /** In quotes, on one line. */
  readonly objective: string;
  /** What it lets one choose between, in words that can stand in every document. */
  readonly options: Options;
  readonly offers: readonly [Offer, ...Offer[]];
  readonly documents: readonly string[];
  readonly obligations: readonly string[];
}

/** Reads what `next-action --json` printed; undefined when it is not this colleague's turn. */
export function readDesk(next: unknown, turn: RehearsalTurn): Desk | undefined {
  const { standing, guidance } = isRecord(next) ? next : {};
  if (!isRecord(standing) || !isRecord(guidance) || guidance["turn"] !== "yours") return undefined;
  const { topic, participants, initiator } = standing;
  const { moves, documents, obligations } = guidance;
  if (![participants, documents, obligations].every(isStringArray)) return undefined;
  const [first, ...rest] = (Array.isArray(moves) ? moves : []).flatMap(readOffer);
  if (first === undefined) return undefined;
  const others = listOf(participants).filter((name) => name !== initiator);
  const objective = shortLine(String(topic).replace(/["\u00ab\u00bb\u201c\u201d`]/g, ""), 160);
  return {
    me: turn.participant,
    seat: others.indexOf(turn.participant),
    project: projectOf(turn),
    folder: turn.place.folder,
    objective: `"${objective}"`,
    options: choicesOf(String(topic)),
    offers: [first, ...rest],
    documents: listOf(documents),
    obligations: listOf(obligations),
  };
}

function listOf(value: unknown): string[] {
  return isStringArray(value) ? value : [];
}

function readOffer(move: unknown): Offer[] {
  if (!isRecord(move) || !isRecord(move["options"])) return [];
  const options = Object.entries(move["options"]).map(([name, value]) => [name, String(value)]);
  const { input } = move;
  return [{ options: Object.fromEntries(options), form: typeof input === "string" ? input : "" }];
}

function choicesOf(objective: string): Options {
  const { first, second, terms } = optionsOf(objective);
  const telling = terms.filter((term) => !hasPlaceholder(term));
  // No conclusion can quote words that stand for what is missing.
  const isOpen = first === "do it" || hasPlaceholder(`${first} ${second}`);
  return isOpen
    ? { first: "a small first version", second: "the whole at once", terms: telling }
    : { first, second, terms: telling };
}

/** The text of a document; "" when there is none. */
export function textIn({ folder }: Desk, path: string): string {
  return readFileIfPresent(resolve(folder, path), limits.messageBytes) ?? "";
}

/** The deliverable that an offer is about, among the documents that may be written. */
export function deliverableIn({ documents, offers }: Desk): string | undefined {
  const { doc = "" } = offers[0].options;
  const file = doc.replace(/^external:/, "");
  return documents.find((path) => path === doc || path.endsWith(`/${file}`));
}
