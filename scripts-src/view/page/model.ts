/** What the page shows, as JSON: made by the server or for a file, read by the components. */

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
  readonly confidence: readonly Trail[];
}

export interface Queue {
  readonly rows: readonly QueueRow[];
  readonly projects: readonly Project[];
}

export interface Project {
  readonly key: string;
  readonly name: string;
}

/** What a participant said of its own confidence, message by message. */
export interface Trail {
  readonly name: string;
  readonly points: readonly { readonly seq: number; readonly value: number }[];
}

/** One session at one point of its log. */
export interface SessionModel {
  readonly key: string;
  readonly id: string;
  readonly project: string;
  readonly kind: string;
  readonly topic: string;
  /** The event after which this is so, and the newest that there is. */
  readonly seq: number;
  readonly lastSeq: number;
  readonly lastAt: string;
  readonly phase: string;
  readonly ended: boolean;
  readonly verdict: string;
  readonly isOurs: boolean;
  /** Whether any machine that shares it may write as anybody. */
  readonly isUnproven: boolean;
  readonly participants: readonly ParticipantModel[];
  /** Undefined where nobody can tell any more what they were. */
  readonly obligations: readonly Obligation[] | undefined;
  /** What a script alone can notice, in our words. */
  readonly marks: readonly string[];
  /** Places of the log worth a look, for the scrubber. */
  readonly moments: readonly Moment[];
  readonly items: readonly Item[];
  /** How many items came before the first of `items`; 0 where all are here. */
  readonly earlier: number;
  readonly person: PersonModel;
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

export interface Obligation {
  readonly by: string;
  readonly text: string;
}

export interface Moment {
  readonly seq: number;
  readonly what: "flip" | "objection" | "check" | "person" | "step";
  readonly text: string;
}

/** What the person can do now; the rules say so, the page only offers it. */
export interface PersonModel {
  readonly maySay: boolean;
  readonly mayPause: boolean;
  readonly mayEnd: boolean;
  /** What the session waits for. */
  readonly wanted:
    | undefined
    | {
        readonly wants: "answer" | "decision" | "way out";
        readonly text: string;
        readonly since: string;
      };
  /** No turn is given; who may still be in one. */
  readonly pause:
    | undefined
    | { readonly notYet: readonly string[]; readonly at: string; readonly because: string };
}

/** The header, or the field of an address that takes no header, in which the page sends its key. */
export const pageKeyName = "consulta-page-key";

/** So many items a page holds; who wants older ones asks for those before one of them. */
export const itemsShown = 200;

export type Item = MessageItem | EvidenceItem | StepItem | PersonItem;

interface ItemBase {
  readonly seq: number;
  readonly at: string;
}

/** Words of a participant. */
export interface MessageItem extends ItemBase {
  readonly as: "message";
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly summary: string;
  readonly body: Words;
  /** Characters of the body that are not here: it is fetched when somebody wants it. */
  readonly more: number;
  readonly position: string;
  readonly confidence: number | undefined;
  readonly acknowledged: readonly string[];
  readonly objections: readonly { readonly point: string; readonly because: string }[];
  readonly settled: readonly { readonly point: string; readonly because: string }[];
  readonly questions: readonly { readonly id: string; readonly text: string }[];
  readonly answers: readonly { readonly question: string; readonly text: string }[];
  readonly claims: readonly ClaimModel[];
  readonly checks: readonly {
    readonly claim: string;
    readonly outcome: string;
    readonly text: string;
  }[];
  readonly synthesis: string;
  readonly reservations: readonly string[];
  readonly needsUser: string;
  readonly flip: FlipModel | undefined;
  readonly chips: Chips | undefined;
}

export interface ClaimModel {
  readonly id: string;
  readonly text: string;
  readonly check: string;
  readonly status: "seen" | "assumed" | "fell";
  /** Who ran it, by whose script, and whether it came out as expected. */
  readonly ranBy: readonly { readonly by: string; readonly seq: number; readonly met: boolean }[];
}

export interface FlipModel {
  readonly by: string;
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly evidence: readonly string[];
  readonly judgement: string;
}

/** When a message reached each stage; "" where it has not. */
export interface Chips {
  readonly stored: string;
  readonly notified: string;
  readonly seen: string;
  readonly answered: string;
}

/** What a script read, searched or ran for a participant. */
export interface EvidenceItem extends ItemBase {
  readonly as: "evidence";
  readonly by: string;
  readonly claim: string;
  readonly spec: string;
  readonly expect: string;
  readonly met: boolean;
  readonly exit: number | undefined;
  readonly ms: number;
  readonly shown: string;
}

/** What happened, in our words, with the summary of who did it where there is one. */
export interface StepItem extends ItemBase {
  readonly as: "step";
  readonly by: string;
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

export type Part = DialoguePart | CollaborationPart | BoardPart | PlainPart;

export interface DialoguePart {
  readonly of: "dialogue";
  readonly question: Words;
  readonly decision:
    | { readonly position: string; readonly text: Words; readonly by: string }
    | undefined;
  readonly confidence: readonly Trail[];
  readonly threshold: number;
  readonly stall: { readonly left: number; readonly of: number };
  readonly round: { readonly now: number; readonly of: number };
  readonly claims: readonly ClaimModel[];
  readonly flips: readonly FlipModel[];
  readonly disputed: readonly string[];
  readonly agreed: readonly string[];
}

export interface CollaborationPart {
  readonly of: "collaboration";
  readonly owner: string;
  readonly phases: readonly { readonly name: string; readonly state: "done" | "now" | "ahead" }[];
  readonly blocked: string;
  /** Which events lead on from here: who appends them, and to which phase. */
  readonly next: readonly { readonly event: string; readonly who: string; readonly to: string }[];
  readonly gates: readonly { readonly met: boolean; readonly line: string }[];
  readonly documents: readonly DocumentModel[];
  readonly revisions: readonly RevisionModel[];
}

export interface DocumentModel {
  readonly name: string;
  readonly text: Words;
  readonly bytes: number;
  readonly fault: string;
}

/** A document as it was submitted, beside what it was before and the reviews in between. */
export interface RevisionModel {
  readonly name: string;
  readonly version: number;
  readonly seq: number;
  readonly lines: readonly DiffLine[];
  readonly reviews: readonly { readonly by: string; readonly seq: number; readonly text: Words }[];
}

export interface DiffLine {
  readonly as: "same" | "added" | "removed" | "left out";
  readonly text: string;
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
  readonly faults: readonly string[];
  readonly marks: readonly string[];
}

/** A kind that this page knows nothing of: its report. */
export interface PlainPart {
  readonly of: "plain";
  readonly sections: readonly { readonly heading: string; readonly text: Words }[];
}

/** What cannot be shown, and the command that says more. */
export interface SessionFault {
  readonly key: string;
  readonly fault: string;
  readonly command: string;
}

export interface BrainModel {
  readonly project: string;
  /** Why nothing can be shown; "" where the brain answers. */
  readonly fault: string;
  readonly command: string;
  readonly head: readonly { readonly name: string; readonly value: string }[];
  readonly memories: readonly MemoryModel[];
  readonly more: boolean;
  readonly query: string;
  readonly given: readonly GivenModel[];
  readonly alerts: readonly GivenModel[];
  readonly sessions: readonly BrainSessionModel[];
}

export interface MemoryModel {
  readonly key: string;
  readonly text: string;
  readonly source: string;
  readonly at: string;
  readonly tags: readonly string[];
  readonly link: string;
}

/** What was put before a session, and why. */
export interface GivenModel {
  readonly session: string;
  readonly at: string;
  readonly what: string;
  readonly why: string;
}

export interface BrainSessionModel {
  readonly session: string;
  readonly cli: string;
  readonly at: string;
  readonly percent: number | undefined;
  readonly tokens: number | undefined;
  /** It was told of its full context, and that is still so. */
  readonly isWarned: boolean;
}
