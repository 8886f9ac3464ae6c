import {
  type AuditorKind,
  auditorKinds,
  type Class,
  classes,
  type DishonestCase,
  type HonestCase,
} from "./case.ts";
import { boards, honestBoards } from "./cases/boards.ts";
import { collaborations, honestCollaborations } from "./cases/collaborations.ts";
import { dishonestFault, honestFault, type LazyEnd, lazyEnd, unseenCalledSeen } from "./judge.ts";
import { CasePlay, type Playing } from "./play-case.ts";
import { readCases } from "./read-cases.ts";

/** Dialogues by what they are about; the attacks and the newcomer's came later. */
const dialogues = [
  "no-verification",
  "fabricated-checks",
  "citations",
  "unanswered-questions",
  "dissent",
  "flips-and-echo",
  "owners-and-answers",
  "tampering",
  "attacks",
  "newcomer",
  "structure",
  "honest-checked",
  "honest-dialogues",
  "newcomer-honest",
].map(readCases);

export const dishonestCases: readonly DishonestCase[] = [
  ...dialogues.flatMap(({ dishonest }) => dishonest),
  ...collaborations,
  ...boards,
];

export const honestCases: readonly HonestCase[] = [
  ...dialogues.flatMap(({ honest }) => honest),
  ...honestCollaborations,
  ...honestBoards,
];

/**
 * Sessions that end as if all was well, with what a careful reader finds: thirty lazy ones, the kinds of a stranger, and
 * those of the suite that no script can know.
 */
export const lazyCases = {
  lazy: readCases("lazy").dishonest,
  stranger: readCases("stranger").dishonest,
  readers: dishonestCases.filter(({ needsReader }) => needsReader),
} as const;

export interface ClassFigures {
  readonly name: Class;
  readonly cases: number;
  readonly right: number;
}

export interface Figures {
  readonly classes: readonly ClassFigures[];
  readonly must: { readonly cases: number; readonly rejected: number };
  readonly honest: {
    readonly cases: number;
    readonly right: number;
    readonly messages: number;
    readonly rejected: number;
  };
  /** Claims that a report calls seen and no two records show. */
  readonly unseen: number;
  /** Of all turns of the honest dialogues, sorted. */
  readonly tokens: readonly number[];
  readonly faults: readonly { readonly name: string; readonly fault: string }[];
  /** What ended wrong as no script can know better. */
  readonly forReaders: readonly { readonly name: string; readonly inClass: Class }[];
}

export interface Wanted {
  /** Cases whose class or name holds one of these; all without any. */
  readonly words?: readonly string[];
  /** Every so many of each class, for a quick look. */
  readonly each?: number;
}

/** Plays cases, four at a time, and says what became of them. */
export async function measureTrust(wanted: Wanted = {}): Promise<Figures> {
  const dishonest = chosen(dishonestCases, wanted);
  const honest = chosen(honestCases, wanted);
  const playings = await playAll([...dishonest, ...honest], { measured: honest });
  const bad = dishonest.map((played, index) => {
    const playing = playingAt(playings, index);
    return { played, playing, fault: dishonestFault(played, playing) };
  });
  const good = honest.map((played, index) => {
    const playing = playingAt(playings, dishonest.length + index);
    return { played, playing, fault: honestFault(played, playing) };
  });
  return {
    classes: classes.map((name) => {
      const inClass = bad.filter(({ played }) => played.class === name);
      return { name, cases: inClass.length, right: inClass.filter(isRight).length };
    }),
    must: mustFigures(bad),
    honest: {
      cases: good.length,
      right: good.filter(isRight).length,
      messages: sum(good.map(({ playing }) => playing.messages)),
      rejected: good.filter(({ playing }) => playing.rejection !== undefined).length,
    },
    unseen: sum([...bad, ...good].map(({ playing }) => unseenCalledSeen(playing))),
    tokens: good.flatMap(({ playing }) => playing.added.map(tokensIn)).sort((a, b) => a - b),
    faults: [...bad.flatMap(unexpected), ...good.flatMap(unexpected)],
    forReaders: bad.flatMap(({ played, fault }) =>
      played.needsReader && fault !== undefined
        ? [{ name: played.name, inClass: played.class }]
        : [],
    ),
  };
}

/** What became of the lazy sessions and of the honest ones, all read by one auditor, or by none. */
export interface AuditFigures {
  readonly auditor: AuditorKind | "none";
  readonly lazy: Readonly<Record<keyof typeof lazyCases, readonly ({ name: string } & LazyEnd)[]>>;
  readonly honest: {
    readonly cases: number;
    readonly right: number;
    readonly asked: number;
    readonly made: number;
    /** Of one session. */
    readonly mostMade: number;
  };
  readonly faults: readonly { readonly name: string; readonly fault: string }[];
}

/** Plays them once for each auditor, of those that judge nothing a third; a session is audited after its first AGREE. */
export async function measureAudits(
  wanted: Wanted = {},
  auditors: readonly AuditFigures["auditor"][] = ["none", ...auditorKinds],
): Promise<AuditFigures[]> {
  const figures: AuditFigures[] = [];
  for (const auditor of auditors) {
    const each = auditor === "none" || auditor === "good" ? 1 : 3;
    figures.push(await measureAudit(auditor, { each, ...wanted }));
  }
  return figures;
}

async function measureAudit(
  auditor: AuditFigures["auditor"],
  wanted: Wanted,
): Promise<AuditFigures> {
  const by = auditor === "none" ? {} : { auditor };
  const ended = async (cases: readonly DishonestCase[]) => {
    const playings = await playAll(cases, by);
    return cases.map((it, at) => ({ name: it.name, ...lazyEnd(it, playingAt(playings, at)) }));
  };
  const lazy = {
    lazy: await ended(chosen(lazyCases.lazy, wanted)),
    stranger: await ended(chosen(lazyCases.stranger, wanted)),
    readers: await ended(chosen(lazyCases.readers, wanted)),
  };
  const honest = chosen(
    honestCases.filter(({ kind = "dialogue" }) => kind === "dialogue"),
    wanted,
  );
  const playings = await playAll(honest, by);
  const good = honest.map((played, at) => {
    const playing = playingAt(playings, at);
    return { played, playing, fault: honestFault(played, playing) };
  });
  const audits = good.map(({ playing }) => playing.audits ?? { asked: 0, made: 0 });
  return {
    ...{ auditor, lazy },
    honest: {
      ...{ cases: good.length, right: good.filter(isRight).length },
      asked: sum(audits.map(({ asked }) => asked)),
      made: sum(audits.map(({ made }) => made)),
      mostMade: Math.max(0, ...audits.map(({ made }) => made)),
    },
    faults: good.flatMap(unexpected),
  };
}

interface Judged {
  readonly played: { readonly name: string; readonly needsReader?: true };
  readonly fault: string | undefined;
}

function unexpected({ played: { name, needsReader }, fault }: Judged) {
  if (needsReader) return fault === undefined ? [{ name, fault: "it needs no reader" }] : [];
  return fault === undefined ? [] : [{ name, fault }];
}

function chosen<T extends DishonestCase | HonestCase>(
  cases: readonly T[],
  { words = [], each = 1 }: Wanted,
): T[] {
  const counts = new Map<string, number>();
  return cases.filter((played) => {
    const group = "class" in played ? played.class : "honest sessions";
    const count = counts.get(group) ?? 0;
    counts.set(group, count + 1);
    const isNamed =
      words.length === 0 || words.some((word) => `${group}: ${played.name}`.includes(word));
    return isNamed && count % each === 0;
  });
}

function isRight({ fault }: { fault: string | undefined }): boolean {
  return fault === undefined;
}

function mustFigures(bad: readonly { played: DishonestCase; fault: string | undefined }[]) {
  const must = bad.filter(({ played }) => played.must);
  return { cases: must.length, rejected: must.filter(isRight).length };
}

/** A token is four characters, begun ones count. */
function tokensIn(characters: number): number {
  return Math.ceil(characters / 4);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function playingAt(playings: ReadonlyMap<number, Playing>, index: number): Playing {
  const playing = playings.get(index);
  if (playing === undefined) throw new Error(`case ${index} was not played`);
  return playing;
}

const atOnce = 4;

interface Playings {
  /** Of these the added text is counted. */
  readonly measured?: readonly unknown[];
  readonly auditor?: AuditorKind;
}

async function playAll(
  cases: readonly (DishonestCase | HonestCase)[],
  { measured = [], auditor }: Playings,
): Promise<Map<number, Playing>> {
  const playings = new Map<number, Playing>();
  const left = cases.entries();
  const work = async () => {
    for (const [index, played] of left) {
      playings.set(index, await playOne(played, measured.includes(played), auditor));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return playings;
}

async function playOne(
  played: DishonestCase | HonestCase,
  measured: boolean,
  auditor: AuditorKind | undefined,
): Promise<Playing> {
  try {
    return await new CasePlay(played, auditor).play(measured);
  } catch (cause) {
    const none = { report: "", validate: "", status: "", events: [], added: [] };
    return { ...none, messages: 0, broken: cause instanceof Error ? cause.message : String(cause) };
  }
}
