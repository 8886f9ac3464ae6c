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

async function play(voice: Voice, killEvery?: number): Promise<Played> {
  const project = mkdtempSync(join(tmpdir(), "consulta-shells-"));
  let kills = 0;
  let calls = 0;
  let fatals = 0;
  const type = async (line: string) => {
    calls += 1;
    const fatal = killEvery !== undefined && calls % killEvery === 0;
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
    await Promise.all(["ada", "bob"].map((name) => takePart(project, name, voice, type)));
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

/** Agrees as soon as it may. */
const agreeable: Voice = (draft, turn, out) => {
  if (draft["type"] === "REQUEST") return asks;
  const agree = /^\{"type":"AGREE".*\}$/m.exec(out)?.[0];
  const position = "Files, behind one module.";
  if (agree === undefined) return { ...draft, confidence: 0.5, position, ...says("Files.") };
  const because = "judgement: nothing speaks against it";
  return { ...JSON.parse(agree), confidence: 0.9, because, ...says(`Files. (${turn})`) };
};

describe("two shells that type only what the scripts print", { timeout: 120_000 }, () => {
  for (const killEvery of [undefined, 2, 3]) {
    const when =
      killEvery === undefined ? "" : " when every few commands are killed, from next-action";
    it(`come to consensus${when} (${killEvery})`, async () => {
      const { report, kills } = await play(agreeable, killEvery);
      assert.match(report, /\*\*CONSENSUS on judgement, nothing was checked\*\*/);
      assert.equal(kills > 0, killEvery !== undefined);
    });
  }
});
