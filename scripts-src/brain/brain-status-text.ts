import { plural } from "../base/plural.ts";
import { millisecondsOf } from "../base/time.ts";
import { asLine } from "../base/visible-text.ts";
import { ageBetween } from "./rules/injected-text.ts";
import type { ResultOf } from "./rules/methods.ts";

type Status = ResultOf<"brain.status">;
type Given = Status["injections"][number];

/** How much of each list is shown; `--json` has all that the brain gives. */
const shownMax = 8;
const barCharacters = 24;
/** Ids of CLIs are long; in lists their beginning tells them apart. */
const idCharacters = 8;

/** What the brain of a project holds, for a terminal of 80 columns. */
export function statusText(status: Status, nowMs: number): string {
  const age = (at: string) => ageBetween(millisecondsOf(at), nowMs).replace(/ old$/, " ago");
  const { injections, sessions, snapshots } = status;
  const alerts = injections.filter(({ reason }) => reason === "alert");
  // What a session stored itself was put there by nobody.
  const given = injections.filter(({ reason }) => reason !== "alert" && reason !== "own");
  const lines = [
    ...headLines(status, age(status.started)),
    ...block("Sessions", sessions, (it) => sessionLines(it, age), noSessions),
    ...block("Alerts", alerts, (it) => [alertLine(it, age)]),
    ...block("Put into contexts", given, (it) => [givenLine(it, age)]),
    ...block("Saved for the next session", snapshots, ({ session, cli, at, holds }) => [
      `  ${age(at).padEnd(ageCharacters)} ${cli} ${shortId(session)}: ${holds.join(", ")}`,
    ]),
  ];
  return `${lines.map(asLine).join("\n")}\n`;
}

type Age = (at: string) => string;
const ageCharacters = 15;
const noSessions =
  "  none has told of itself yet; hooks do that: doctor says whether they are set up";

function headLines(status: Status, age: string): string[] {
  const { memories, snapshots, eventsPending, bytes, setAside, loss } = status.store;
  const parts = [
    plural(memories, "memory", "memories"),
    plural(snapshots, "saved session"),
    `${plural(eventsPending, "event")} waiting`,
  ];
  return [
    `brain     started ${age}, process ${status.pid}`,
    `kept      ${parts.join(", ")}; ${sizeText(bytes)} on disk`,
    ...setAside.map(asideText),
    ...(loss === undefined ? [] : [`loss      ${loss}`]),
    `delegate  ${delegateText(status.delegate)}`,
  ];
}

function asideText(path: string): string {
  return path.includes("brain.foreign-")
    ? `foreign   ${path} was made by no brain of yours: doctor says what to do`
    : `damaged   ${path} was moved aside: take out what you need, delete it`;
}

export function delegateText({ configured, provider, busy, fault }: Status["delegate"]): string {
  if (fault !== undefined) return fault;
  if (!configured) return "none, so nothing can be searched or digested";
  return `${provider}, ${busy === true ? "at work" : "idle"}`;
}

/** A titled list with what is left out at its end; no list, no title. */
function block<T>(
  title: string,
  items: readonly T[],
  linesOf: (item: T) => string[],
  none?: string,
): string[] {
  if (items.length === 0) return none === undefined ? [] : ["", title, none];
  const left = items.length - shownMax;
  const more = left > 0 ? [`  and ${left} more: --json shows them`] : [];
  return ["", title, ...items.slice(0, shownMax).flatMap(linesOf), ...more];
}

function sessionLines(session: Status["sessions"][number], age: Age): string[] {
  const { session: id, cli, current, token_percentage: percent, raw_percentage: raw } = session;
  const tokens = typeof current === "number" ? [`${current.toLocaleString("en")} tokens`] : [];
  const given = Object.entries(session.alerts).filter(([, is]) => is);
  const isKnown = typeof percent === "number";
  return [
    `  ${[`${cli ?? "some CLI"} ${id}`, ...tokens, age(session.updated)].join(", ")}`,
    isKnown ? `    context  ${gauge(percent)} of the room until it compacts` : "    usage unknown",
    ...(typeof raw === "number" ? [`    window   ${gauge(raw)} of the model's own`] : []),
    ...(given.length === 0 ? [] : [`    warned   ${given.map(([name]) => name).join(", ")}`]),
  ];
}

function gauge(percent: number): string {
  const filled = Math.round((percent / 100) * barCharacters);
  const full = "#".repeat(Math.max(0, Math.min(barCharacters, filled)));
  return `[${full.padEnd(barCharacters, ".")}] ${percent.toFixed(1).padStart(5)} %`;
}

function alertLine({ session, subject, score, at }: Given, age: Age): string {
  const fill = typeof score === "number" ? ` at ${score.toFixed(1)} %` : "";
  return `  ${age(at).padEnd(ageCharacters)} ${shortId(session)}: ${subject}${fill}`;
}

function givenLine(injection: Given, age: Age): string {
  const { session, at } = injection;
  const { what, why } = givenText(injection);
  return `  ${age(at).padEnd(ageCharacters)} ${shortId(session)}: ${what}${why === "" ? "" : `, ${why}`}`;
}

/** What was put before a session, and why. */
export function givenText({ session, reason, subject, score }: Given) {
  const known: Readonly<Record<string, readonly [what: string, why: string]>> = {
    relevant: [`memory "${subject}"`, "fits the prompt"],
    restore:
      subject === session
        ? ["where it stood before its context was emptied", ""]
        : [`where ${shortId(subject)} stood, the session before`, ""],
    event: [`news number ${subject}`, ""],
  };
  const [what, why] = known[reason] ?? [`${reason} ${subject}`, ""];
  const how = typeof score === "number" ? `score ${score.toFixed(1)}` : "";
  return { what, why: [why, how].filter((it) => it !== "").join(", ") };
}

function shortId(id: string): string {
  return id.length > idCharacters + 4 ? `${id.slice(0, idCharacters)}...` : id;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
