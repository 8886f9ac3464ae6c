/** What the page shows, as JSON: made by the server or for a file, read by the components. */
import type { Message } from "../../dialogue/message.ts";
import type { Claim, Flip } from "../../dialogue/state.ts";
import type { EvidenceRecord } from "../../protocol/evidence.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";

/** Words of others: texts, and parts of a closed set around them. */
export type Words = readonly ShownWord[];
export type ShownWord = string | WordPart;
export interface WordPart {
  readonly as:
    | ("heading" | "p" | "blockquote" | "pre" | "raw" | "ul" | "ol" | "li" | "hr" | "br")
    | ("table" | "tr" | "th" | "td" | "strong" | "em" | "del" | "code" | "a");
  readonly of: Words;
  /** Of a numbered list, its first number. */
  readonly start?: number;
}

/** Why a session is where it is in the list; in the order of the list. */
export const queueGroups = ["waits", "failed", "finished", "running", "idle", "earlier"] as const;
export type QueueGroup = (typeof queueGroups)[number];

export interface QueueRow {
  /** Names the session in this page. */
  readonly key: string;
  readonly id: string;
  readonly project: string;
  readonly kind: string;
  readonly topic: string;
  readonly group: QueueGroup;
  /** One line of ours: what it waits for, how it ended, what is wrong. */
  readonly why: string;
  readonly turn: readonly string[];
  /** Since when they have it; "" where nobody knows. */
  readonly turnAt: string;
  readonly lastAt: string;
  readonly participants: readonly string[];
  /** How sure each participant says that it is. */
  readonly confidence: Readonly<Record<string, number>>;
}

export interface Queue {
  readonly rows: readonly QueueRow[];
  /** By their places. */
  readonly projects: readonly string[];
}

/** One session at one point of its log. */
export interface SessionModel {
  readonly key: string;
  readonly project: string;
  /** The event after which this is so, and the newest that there is. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly status: SessionStatus & { readonly id: string };
  readonly isOurs: boolean;
  /** Whether any machine that shares it may write as anybody. */
  readonly isUnproven: boolean;
  readonly mayEnd: boolean;
  readonly participants: readonly ParticipantModel[];
  /** Undefined where nobody can tell any more what they were. */
  readonly obligations: readonly { readonly by: string; readonly text: string }[] | undefined;
  /** What a script alone can notice, in our words. */
  readonly marks: readonly string[];
  readonly items: readonly Item[];
  /** How many events came before the first of `items`; 0 where all are here. */
  readonly earlier: number;
  readonly part: Part;
}

export interface ParticipantModel {
  readonly name: string;
  /** What it does, in a few words of ours: `has the turn`, `has finished`. */
  readonly state: string;
  /** What its process or its silence tells; "" for nothing. */
  readonly sign: string;
  /** Since when it has the turn; "" where it has not, or nobody knows. */
  readonly turnAt: string;
  /** When it acted last; "" for never. */
  readonly actedAt: string;
  readonly isAwaited: boolean;
}

/** The header, or the field of an address that takes no header, in which the page sends its key. */
export const pageKeyName = "consulta-page-key";

export type Item = MessageItem | EvidenceItem | StepItem | PersonItem;

interface ItemBase {
  readonly seq: number;
  readonly at: string;
  readonly by: string;
}

/** Words of a participant. */
export interface MessageItem extends ItemBase {
  readonly as: "message";
  /** As the log has it, but for its text. */
  readonly message: Omit<Message, "question_or_proposal">;
  readonly questions: readonly string[];
  readonly summary: string;
  readonly body: Words;
  /** Characters of the text that only the log has. */
  readonly more: number;
  readonly claims: readonly ShownClaim[];
  readonly flip: Flip | undefined;
  readonly reached: Reached | undefined;
}

export interface ShownClaim extends Claim {
  readonly status: "seen" | "assumed" | "fell";
  /** Of what is assumed, why. */
  readonly standing: string;
  /** What the auditor says of it, and who keeps it all the same. */
  readonly audit: readonly string[];
}

/** When a message reached each stage; "" where it has not. */
export interface Reached {
  readonly stored: string;
  readonly notified: string;
  readonly seen: string;
  readonly answered: string;
}

/** What a script read, searched or ran for a participant. */
export interface EvidenceItem extends ItemBase {
  readonly as: "evidence";
  readonly record: EvidenceRecord;
}

/** What happened, in our words, with the summary of who did it where there is one. */
export interface StepItem extends ItemBase {
  readonly as: "step";
  readonly what: string;
  readonly text: string;
}

/** Words of the person, and before whom they were put; `at` is "" of those who have not seen them yet. */
export interface PersonItem extends ItemBase {
  readonly as: "person";
  readonly what: string;
  readonly to: string;
  readonly text: string;
  readonly seenBy: readonly { readonly name: string; readonly at: string }[];
}

export type Part = DialoguePart | CollaborationPart | BoardPart | { readonly of: "plain" };

/** What the component of a kind is given. */
export interface KindProps<P extends Part> {
  readonly model: SessionModel;
  readonly part: P;
  readonly isUnfolded: boolean;
}

export interface DialoguePart {
  readonly of: "dialogue";
  readonly question: Words;
  readonly decision:
    | { readonly position: string; readonly text: Words; readonly by: string }
    | undefined;
  readonly threshold: number;
  readonly stall: { readonly left: number; readonly of: number };
  readonly round: { readonly now: number; readonly of: number };
  readonly claims: readonly ShownClaim[];
  readonly flips: readonly Flip[];
  readonly disputed: readonly string[];
  readonly agreed: readonly string[];
}

export interface CollaborationPart {
  readonly of: "collaboration";
  readonly phases: readonly { readonly name: string; readonly state: "done" | "now" | "ahead" }[];
  readonly blocked: string;
  /** Which events lead on from here: who appends them, and to which phase. */
  readonly next: readonly { readonly event: string; readonly who: string; readonly to: string }[];
  readonly gates: readonly { readonly met: boolean; readonly line: string }[];
  readonly documents: readonly {
    readonly name: string;
    readonly text: Words;
    readonly bytes: number;
    readonly fault: string;
  }[];
  readonly revisions: readonly RevisionModel[];
}

/** A proposal as it was submitted again, beside the reviews in between. */
export interface RevisionModel {
  readonly version: number;
  readonly seq: number;
  /** Of a unified diff. */
  readonly lines: readonly string[];
  readonly reviews: readonly { readonly by: string; readonly seq: number; readonly text: Words }[];
}

export interface BoardPart {
  readonly of: "findings";
  readonly deadline: string;
  readonly agents: readonly {
    readonly name: string;
    readonly ready: boolean;
    readonly registered: boolean;
  }[];
  readonly missing: readonly string[];
  readonly conflicts: readonly string[];
  readonly sharedLines: readonly string[];
  readonly reports: readonly FindingModel[];
}

export interface FindingModel {
  readonly agent: string;
  readonly file: string;
  readonly title: string;
  readonly summary: string;
  readonly text: Words;
  readonly at: string;
  readonly confirmedBy: readonly string[];
  readonly supersededBy: readonly string[];
  readonly stale: readonly string[];
  readonly missing: readonly string[];
  readonly notes: readonly string[];
}

/** What cannot be shown, and the command that says more. */
export interface SessionFault {
  readonly key: string;
  readonly fault: string;
  readonly command: string;
}

export interface BrainModel {
  readonly project: string;
  /** Why nothing can be shown, and the command that says more; "" where the brain answers. */
  readonly fault: string;
  readonly command: string;
  /** What `brain status` prints; "" where it does not answer. */
  readonly status: string;
  readonly memories: readonly MemoryModel[];
  readonly more: boolean;
  readonly query: string;
}

export interface MemoryModel {
  readonly key: string;
  readonly text: string;
  readonly source: string;
  readonly at: string;
  readonly tags: readonly string[];
  readonly link: string;
}
