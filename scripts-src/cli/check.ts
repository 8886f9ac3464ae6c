import { createInterface, type Interface } from "node:readline";
import { isatty } from "node:tty";
import { exitCodes, refused } from "../base/errors.ts";
import { inline } from "../base/json.ts";
import { plural } from "../base/plural.ts";
import { quotedLines } from "../base/visible-text.ts";
import { checkLimits } from "../evidence/check-limits.ts";
import type { Ask } from "../evidence/consent.ts";
import { type CheckSpec, parseCheckSpec, runSpec, searchSpec } from "../protocol/check-spec.ts";
import { doubtsOf } from "../protocol/figures.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printError, printLines } from "../script/output.ts";
import { type EvidenceAsked, type MadeEvidence, makeEvidence } from "../session/make-evidence.ts";
import { placeIn } from "../session/place.ts";
import { isAllSame, replayEvidence, replayedLine } from "../session/recorded-evidence.ts";
import { runInProject } from "../session/run-in-project.ts";
import {
  common,
  defaultParticipant,
  participantOf,
  workspaceOf,
} from "../session/session-options.ts";
import { onlySession, placeOf } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "check",
  summary: "Read lines, search or run something, and record what came out as evidence.",
  positionals: ["[words...]"],
  options: [
    { flags: "--claim <id>", text: "make the check of a claim, as C4.1, for yourself" },
    { flags: "--cite <lines>", text: "FILE:FIRST-LAST, below the project" },
    { flags: "--find <text>", text: "search a text in the paths that follow" },
    { flags: "--run", text: "run the command that follows --, if the user allows it" },
    { flags: "--replay", text: "repeat all evidence of the session; nothing is recorded" },
    { flags: "--expect <words>", text: "with --cite, --find, --run: words that must be in it" },
    common.session,
    common.participant,
    common.workspace,
    common.json,
  ],
  ownExitCodes: [
    {
      exit: exitCodes.OK,
      failures: [],
      advice: "recorded, and it is as expected; replayed, all the same",
    },
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "recorded, and it is not as expected; replayed, something changed or could not run",
    },
  ],
  notes: [
    "Lines and searches need no consent. A command runs only if ~/.consulta/config.yaml lists it word by",
    "word (checks: [[npm, test]]), or you say yes at a terminal: no shell, no input, the project's root,",
    "no network where the system can take it away. What is cut is not recorded.",
    "Example: check --cite src/cache.ts:10-20 --expect 'const ttl = 60'",
    'Example: check --find "retry limit" src docs',
    "Example: check --run -- npm test",
  ],
};

runInProject(spec, async (args) => {
  const mode = modeOf(args);
  const terminal = atTerminal();
  try {
    if (mode === "replay") return await replay(args, terminal.ask);
    const participant = participantOf(args);
    const place = await placeOf(args, participant);
    const wanted = wantedBy(args, mode);
    const made = await makeEvidence(place, participant, wanted, terminal, systemClock);
    printMade(args, place.id, made);
    return made.record.met ? exitCodes.OK : exitCodes.NOT_YET;
  } finally {
    terminal.close();
  }
});

const modes = ["claim", "cite", "find", "run", "replay"] as const;
type Mode = (typeof modes)[number];

function modeOf(args: Arguments): Mode {
  const [mode, second] = modes.filter((name) => args.has(name));
  if (mode === undefined || second !== undefined) {
    const options = modes.map((name) => `--${name}`).join(", ");
    const came = mode === undefined ? "none came" : `--${mode} and --${second} came`;
    throw refused(`check needs one of ${options}; ${came}`);
  }
  const stray = args.positionals[0];
  if (stray !== undefined && mode !== "find" && mode !== "run") {
    throw refused(`${inline(stray, 80)} belongs to no option; leave it out`);
  }
  if (args.has("expect") && (mode === "claim" || mode === "replay")) {
    const reason = `--expect does not go with --${mode}`;
    throw refused(`${reason}: what was expected then counts; leave it out`);
  }
  return mode;
}

function wantedBy(args: Arguments, mode: Exclude<Mode, "replay">): EvidenceAsked {
  if (mode === "claim") return { claim: args.required("claim") };
  const found = specBy(args, mode);
  if ("fault" in found) throw refused(`--${mode}: ${found.fault}`);
  return { spec: found, expect: args.one("expect") };
}

function specBy(args: Arguments, mode: "cite" | "find" | "run"): CheckSpec | { fault: string } {
  if (mode === "run") return runSpec(args.positionals);
  if (mode === "find") return searchSpec(args.required("find"), args.positionals);
  const cited = parseCheckSpec(JSON.stringify(args.required("cite")));
  if ("fault" in cited || cited.kind === "lines") return cited;
  return { fault: `${inline(args.required("cite"), 80)} is no place; write FILE:FIRST-LAST` };
}

/** Only a person at a terminal, who reads stderr and types lines, can say yes. */
function atTerminal(): { ask: Ask | undefined; close(): void } {
  // Touching process.stdin would make the input non-blocking, and reading it whole would then fail.
  if (!isatty(0) || !isatty(2)) return { ask: undefined, close: () => undefined };
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  const ask = async (question: string) => {
    printError(question);
    reader ??= createInterface({ input: process.stdin });
    lines ??= reader[Symbol.asyncIterator]();
    const line = lines.next().then(({ done, value }) => (done ? "" : value));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, checkLimits.approvalMs, "");
    });
    const said = await Promise.race([line, late]).finally(() => clearTimeout(timer));
    return /^\s*y(?:es)?\s*$/i.test(said);
  };
  // With its reader open the process would wait for more lines.
  return { ask, close: () => reader?.close() };
}

function printMade(args: Arguments, session: string, { seq, record, claim }: MadeEvidence): void {
  const id = `E${seq}`;
  if (args.has("json")) {
    print(`${JSON.stringify({ session, id, seq, record })}\n`);
    return;
  }
  const { kind, met, exit, ms, commit, dirty, network, first, last } = record;
  const about = claim === undefined ? "" : `${claim.id}: ${inline(claim.text, 120)}; `;
  const out = exit === undefined ? "" : `, exit ${exit}, network ${network}`;
  const changed = dirty === undefined ? "" : `, ${plural(dirty.length, "changed file")}`;
  const at = commit === undefined ? "" : `, commit ${commit.slice(0, 12)}${changed}`;
  printLines(
    `${id} recorded: ${about}${met ? "as expected" : "NOT as expected"}`,
    `${kind} ${inline(record.spec)}${out}, ${ms} ms${at}`,
  );
  if (record.expect !== undefined) printLines(`expected: ${inline(record.expect)}`);
  if (claim !== undefined)
    printLines(...doubtsOf(record, claim.text).map((it) => `to compare: ${it}`));
  const parts = [first, last].filter((part) => part !== "");
  if (parts.length > 0)
    print(`what it shows, as data:\n${parts.map(quotedLines).join("\n| ...\n")}\n`);
}

async function replay(args: Arguments, ask: Ask | undefined): Promise<number> {
  const place = await placeToReplay(args);
  const replayed = await replayEvidence(place, ask);
  const all = isAllSame(replayed);
  if (args.has("json")) print(`${JSON.stringify({ session: place.id, same: all, replayed })}\n`);
  else {
    printLines(
      `${plural(replayed.length, "record")} of session ${place.id}: ${replayedLine(replayed)}`,
      ...replayed.map(({ id, now, claim, by, spec: what, why }, index) => {
        const about = claim === undefined ? by : `${claim}, ${by}`;
        const isTold = replayed.slice(0, index).some((it) => it.why === why);
        const reason = why === undefined ? "" : `: ${isTold ? "as above" : why}`;
        return `${id} ${now}: ${inline(what)} (${about})${reason}`;
      }),
    );
  }
  return all ? exitCodes.OK : exitCodes.NOT_YET;
}

/** The user names the session; a participant has its own. */
async function placeToReplay(args: Arguments) {
  const participant = args.one("participant") ?? defaultParticipant();
  const given = args.one("session");
  if (given === undefined && participant !== undefined) return placeOf(args, participant);
  const workspace = workspaceOf(args);
  return placeIn(workspace, given ?? onlySession(workspace));
}
