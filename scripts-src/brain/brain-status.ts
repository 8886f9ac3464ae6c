import { millisecondsOf } from "../base/time.ts";
import { asLine } from "../base/visible-text.ts";
import { ageBetween } from "./rules/injected-text.ts";
import type { ResultOf } from "./rules/methods.ts";

type Status = ResultOf<"brain.status">;
type Given = Status["injections"][number];

/** What happened and why, or how a session of a CLI fares. */
interface Note {
  readonly what: string;
  readonly why: string;
  readonly at: string;
}

/** How much of each list is shown; `--json` has all that the brain gives. */
const shownMax = 8;
const columnCharacters = 15;

/** What the brain of a project holds, for a terminal and its page. */
export function statusText(status: Status, nowMs: number): string {
  const { store, delegate, connections, pid, started, injections } = status;
  const head: [name: string, value: string][] = [
    ["Memories", String(store.memories)],
    ["Saved sessions", String(store.snapshots)],
    ["Events waiting", String(store.eventsPending)],
    ["On disk", `${Math.round(store.bytes / 1_000)} kB`],
    ...store.setAside.map((path): [string, string] => ["Moved aside", asideText(path)]),
    ...(store.loss === undefined ? [] : [["Loss", store.loss] satisfies [string, string]]),
    ["Delegate", delegateText(delegate)],
    ["Clients", String(connections)],
    ["Process", `${pid}, since ${started.slice(0, 16).replace("T", " ")} UTC`],
  ];
  const saved = status.snapshots.map(({ session, cli, at, holds }): Note => {
    return { what: `${cli} ${shortId(session)}`, why: holds.join(", "), at };
  });
  // What a session stored itself was put there by nobody.
  const given = injections.filter(({ reason }) => reason !== "alert" && reason !== "own");
  const alerts = injections.filter(({ reason }) => reason === "alert");
  const lines = [
    ...head.map(([name, value]) => `${name.padEnd(columnCharacters)} ${value}`),
    ...(status.sessions.length === 0 ? ["", "Sessions", none] : []),
    ...block("Sessions", status.sessions.map(sessionNote), nowMs),
    ...block("Alerts", alerts.map(alertNote), nowMs),
    ...block("Put before sessions", given.map(givenNote), nowMs),
    ...block("Saved for the next session", saved, nowMs),
  ];
  return `${lines.map(asLine).join("\n")}\n`;
}

const none = "  none has told of itself yet; hooks do that: doctor says whether they are set up";

function block(title: string, notes: readonly Note[], nowMs: number): string[] {
  const left = notes.length - shownMax;
  const more = left > 0 ? [`  and ${left} more: --json shows them`] : [];
  const rows = notes.slice(0, shownMax).map(({ what, why, at }) => {
    const age = ageBetween(millisecondsOf(at), nowMs).replace(/ old$/, " ago");
    return `  ${age.padEnd(columnCharacters)} ${what}; ${why}`;
  });
  return notes.length === 0 ? [] : ["", title, ...rows, ...more];
}

/** What a database that was moved aside is, and what to do with it. */
export function asideText(path: string): string {
  if (!path.includes("brain.foreign-"))
    return `${path} is damaged and was moved aside: take out what you need, delete it`;
  const way = "if it is yours, move it back to brain.db and run brain serve --adopt";
  return `${path} was made by no brain of yours and moved aside; ${way}`;
}

function delegateText({ configured, provider, busy, fault }: Status["delegate"]): string {
  if (fault !== undefined) return fault;
  if (!configured) return "none, so nothing can be searched or digested";
  return `${provider}, ${busy === true ? "at work" : "idle"}`;
}

function sessionNote(session: Status["sessions"][number]): Note {
  const { session: id, cli = "some CLI", updated, current, alerts } = session;
  const { token_percentage: percent, raw_percentage: raw } = session;
  const parts = [
    percent === undefined ? "usage unknown" : `${percent.toFixed(0)} % of its context`,
    ...(raw === undefined ? [] : [`${raw.toFixed(0)} % of the model's window`]),
    ...(current === undefined ? [] : [`${current.toLocaleString("en")} tokens`]),
  ];
  const isWarned = Object.values(alerts).includes(true);
  // Whole: events are addressed to it.
  return { what: `${cli} ${id}${isWarned ? " warned" : ""}`, why: parts.join(", "), at: updated };
}

/** What each alert tells a session, in words for people. */
const alertWords: Readonly<Record<string, string>> = {
  memory_full: "told that its context is nearly full",
  hallucination_risk: "told that its context is so full that it may err",
};

function alertNote({ session, subject, score, at }: Given): Note {
  const share = score === undefined ? "" : `at ${score.toFixed(1)} %; `;
  const what = alertWords[subject] ?? `told ${subject}`;
  return { what, why: `${share}session ${shortId(session)}`, at };
}

function givenNote({ session, reason, subject, score, at }: Given): Note {
  const words: Readonly<Record<string, string>> = {
    relevant: `memory "${subject}", which fits the prompt`,
    restore:
      subject === session
        ? "where it stood before its context was emptied"
        : `where ${shortId(subject)} stood, the session before`,
    event: `event ${subject}`,
  };
  const how = score === undefined ? "" : `score ${score.toFixed(1)}; `;
  return { what: words[reason] ?? subject, why: `${how}session ${shortId(session)}`, at };
}

/** Ids of CLIs are long; their beginning tells them apart. */
function shortId(id: string): string {
  return id.slice(0, 12);
}
