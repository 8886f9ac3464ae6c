import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { printedDraft } from "./skill-text.ts";

/**
 * Two shells that type only what the scripts print: the command after `next:`, with the printed
 * draft filled in. Everything they know comes from there.
 */
type Draft = Record<string, unknown>;
/** What a side has to say, put into the draft that next-action printed with all the rest. */
type Voice = (draft: Draft, turn: number, out: string) => Draft;

interface Played {
  readonly report: string;
  readonly kills: number;
}

const scripts = resolve("dist");
/** From before a script begins to after it has ended, on a quiet machine and on a busy one. */
const killsAfterMs = [15, 400, 30, 60, 45, 90, 1_000];

async function play(
  voices: { ada: Voice; bob: Voice },
  options?: { killEvery: number },
): Promise<Played> {
  const project = mkdtempSync(join(tmpdir(), "consulta-shells-"));
  let kills = 0;
  let calls = 0;
  let fatals = 0;
  const type = async (line: string) => {
    calls += 1;
    const fatal = options !== undefined && calls % options.killEvery === 0;
    const result = await bash(
      project,
      line,
      fatal ? killsAfterMs[fatals++ % killsAfterMs.length] : undefined,
    );
    if (result.killed) kills += 1;
    return result;
  };
  try {
    const start = [
      "--topic 'SQLite or files?'",
      "--participant ada --participant bob --session talk",
    ];
    await bash(project, `node ${scripts}/init.cjs ${start.join(" ")}`);
    const live = (name: "ada" | "bob") => takePart(project, name, voices[name], type);
    await Promise.all([live("ada"), live("bob")]);
    const { out } = await bash(project, `node ${scripts}/report.cjs --session talk`);
    const { out: valid } = await bash(project, `node ${scripts}/validate.cjs`);
    assert.match(valid, /^validation passed \(/);
    return { report: out, kills };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

type Typist = (
  line: string,
) => Promise<{ out: string; err: string; code: number | null; killed: boolean }>;

/** One side: looks, does what it is told, and starts anew from next-action after every crash. */
async function takePart(project: string, name: string, voice: Voice, type: Typist): Promise<void> {
  const look = `node ${scripts}/next-action.cjs --session talk --participant ${name}`;
  let line = look;
  for (let turn = 0, steps = 0; steps < 200; steps += 1) {
    const { out, err, code, killed } = await type(line);
    if (killed) line = look;
    else if (/^session talk: ENDED/m.test(out)) return;
    else if (/^session talk: YOUR TURN/m.test(out)) {
      line = send(project, out, voice, turn);
      turn += 1;
    } else {
      assert(code === 0 || code === 1, `${line}\nexit ${code}\n${out}${err}`);
      line = /^next.*\n(.+)$/m.exec(out + err)?.[1] ?? look;
      if (line.includes("report.cjs")) line = look;
      line = line.replace("--timeout 240", "--timeout 2");
    }
  }
  assert.fail(`${name} found no end`);
}

/** Writes what the side says to the file that is named; gives the printed line. */
function send(project: string, out: string, voice: Voice, turn: number): string {
  const printed = printedDraft(out);
  assert(printed, `no line to send with in:\n${out}`);
  const draft: Draft = JSON.parse(printed.draft);
  writeFileSync(join(project, printed.file), JSON.stringify(voice(draft, turn, out)));
  return printed.line;
}

function bash(cwd: string, line: string, killAfterMs?: number) {
  return new Promise<{ out: string; err: string; code: number | null; killed: boolean }>((done) => {
    const child = spawn("bash", ["-c", line], { cwd, detached: true });
    let [out, err, killed] = ["", "", false];
    child.stdout.on("data", (part) => {
      out += part;
    });
    child.stderr.on("data", (part) => {
      err += part;
    });
    const timer = setTimeout(() => {
      if (killAfterMs === undefined || child.pid === undefined) return;
      killed = true;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself in this very moment.
        killed = false;
      }
    }, killAfterMs ?? 0);
    child.on("close", (code) => {
      clearTimeout(timer);
      done({ out, err, code, killed: killed && code === null });
    });
  });
}

const says = (content: string) => ({ question_or_proposal: { content } });
const asks: Draft = { type: "REQUEST", ...says("SQLite or files?") };

/** The printed form with a stand in it. */
function stand(draft: Draft, position: string, more: Draft): Draft {
  const { accepts: _, synthesis, ...rest } = draft;
  return {
    ...rest,
    position,
    confidence: 0.5,
    because: "judgement: it seems right now",
    ...more,
    ...(synthesis === undefined
      ? {}
      : {
          synthesis: `Steps 1, 2, 3, 4, 5 of the first and the second: a third plan. (${position})`,
        }),
  };
}

/** Agrees as soon as it may. */
const agreeable: Voice = (draft, turn, out) => {
  if (draft["type"] === "REQUEST") return asks;
  const agree = /^\{"type":"AGREE".*\}$/m.exec(out)?.[0];
  if (agree === undefined)
    return stand(draft, "Files, behind one module.", { type: "RESPONSE", ...says("Files.") });
  const because = "judgement: nothing speaks against it";
  return { ...JSON.parse(agree), confidence: 0.9, because, ...says(`Files. (${turn})`) };
};

/** Speaks and moves nothing. */
const idle: Voice = (draft, turn) =>
  draft["type"] === "REQUEST"
    ? asks
    : stand(draft, "It depends.", { type: "RESPONSE", ...says(`Still thinking, ${turn}.`) });

/** Objects to everything, honestly in form; a synthesis where one is owed. */
const stubborn =
  (name: string): Voice =>
  (draft, turn) =>
    stand(draft, `The ${name} plan, step ${turn}.`, {
      type: "EVALUATE",
      confidence: 0.3,
      ...says(`Not like this, ${turn}.`),
      acknowledged: ["the wish for simplicity"],
      objections: [{ point: `detail ${turn}`, because: "it does not hold", about: "judgement" }],
      ...(draft["self_check"] === undefined ? {} : { self_check: "the truth" }),
    });

/** Takes over whatever position it is shown. */
const yielding: Voice = (draft, turn, out) => {
  if (draft["type"] === "REQUEST") return asks;
  const [, inMessage = ""] = /^\| position: (.*)$/m.exec(out) ?? [];
  const [, shown = JSON.stringify(inMessage)] =
    /^position of (?!you)\w+ \(message \d+\): (".*")$/m.exec(out) ?? [];
  return stand(draft, JSON.parse(shown), { type: "RESPONSE", ...says(`I looked again, ${turn}.`) });
};

const disputing: Voice = (draft, turn) =>
  stand(draft, "It depends.", {
    type: "RESPONSE",
    ...says(`My view, ${turn}.`),
    acknowledged: ["the effort"],
    disagreements_pending: ["where the sessions live"],
  });

const noticing: Voice = (draft, turn) =>
  draft["type"] === "REQUEST"
    ? asks
    : stand(draft, "It depends.", { type: "RESPONSE", ...says(`I note it, ${turn}.`) });

const asking: Voice = (_draft, turn) => ({
  type: "ESCALATE",
  ...says("Only the user knows the budget."),
  needs_user: `May this cost money? (${turn})`,
});

describe("two shells that type only what the scripts print", { timeout: 120_000 }, () => {
  const endings: [ending: string, ada: Voice, bob: Voice, verdict: RegExp][] = [
    ["consensus", agreeable, agreeable, /\*\*CONSENSUS on judgement, nothing was checked\*\*/],
    ["the budget at 0", idle, idle, /ESCALATED: budget_exhausted/],
    ["a failed self-check", yielding, stubborn("second"), /ESCALATED: .*self_check_failed/],
    ["a deadlock", noticing, disputing, /ESCALATED: .*deadlock/],
    ["the user's question", agreeable, asking, /ESCALATED: user_decision \("May this cost money/],
  ];
  for (const [ending, ada, bob, verdict] of endings) {
    it(`come to ${ending}`, async () => {
      assert.match((await play({ ada, bob })).report, verdict);
    });
  }

  it("come to two failed syntheses", async () => {
    const ada: Voice = (draft, turn, out) =>
      turn === 0 ? agreeable(draft, turn, out) : stubborn("first")(draft, turn, out);
    assert.match(
      (await play({ ada, bob: stubborn("second") })).report,
      /ESCALATED: .*synthesis_failed/,
    );
  });

  for (const killEvery of [2, 3]) {
    it(`come to consensus when every ${killEvery}. command is killed and they start from next-action`, async () => {
      const { report, kills } = await play({ ada: agreeable, bob: agreeable }, { killEvery });
      assert.match(report, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert(kills > 0, "no command was killed");
    });
  }
});
