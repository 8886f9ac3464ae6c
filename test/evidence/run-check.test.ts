import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { checkLimits } from "../../scripts-src/evidence/check-limits.ts";
import { runCommand } from "../../scripts-src/evidence/run-command.ts";
import { checkRefused, scriptPath } from "../dialogue/project.ts";
import { recordIn, Stage } from "./stage.ts";

const run = (...argv: string[]) => ["--run", "--json", "--", ...argv];
const check = (...argv: string[]) => {
  const who = ["--session", "talk", "--participant", "gemini"];
  return [scriptPath("check"), ...who, ...run(...argv)];
};
const node = process.execPath;
const touch = [node, "-e", "require('fs').writeFileSync('made','')"];
const isMade = (at: Stage) => existsSync(join(at.folder, "made"));

describe("check --run", () => {
  const rows: [what: string, code: string, expect: string[], exit: number, met: boolean][] = [
    ["what came out", "console.log('pass 12')", ["--expect", "pass 12"], 0, true],
    ["a command that fails", "process.exit(3)", [], 3, false],
    ["one that does not print the words", "console.log('x')", ["--expect", "pass"], 0, false],
  ];
  for (const [what, code, expect, exit, met] of rows) {
    it(`records ${what}, with exit ${met ? 0 : 1}`, () => {
      const at = new Stage();
      const argv = [node, "-e", `console.error('warned'); ${code}`];
      at.allow(["npm", "test"], argv);
      const ran = at.check("gemini", ...expect, ...run(...argv));
      const record = recordIn(ran);
      const found = [ran.code, record["kind"], record["exit"], record["met"]];
      assert.deepEqual(found, [met ? 0 : 1, "run", exit, met]);
      assert.match(String(record["first"]), /warned\n/);
    });
  }

  it("runs nothing that is not allowed word by word", async () => {
    const at = new Stage();
    at.allow(["npm", "test"], [...touch.slice(0, 2), "1"]);
    for (const argv of [
      [...touch, "x"],
      touch.slice(0, 2),
      [touch.join(" ")],
      ["./node", ...touch.slice(1)],
      ["npm", "test", "&&", "touch", "made"],
      ["NPM", "test"],
      ["npm"],
    ]) {
      await checkRefused(at, 2, /may not run: the user has not allowed it/, () =>
        at.check("gemini", ...run(...argv)),
      );
    }
    assert(!isMade(at));
  });

  it("has no shell: signs of one are words", () => {
    const at = new Stage();
    const words = ["a;b", "$(id)", "`x`", "*", "> y"];
    const argv = [node, "-e", "console.log(process.argv.slice(1).join('|'))", ...words];
    at.allow(argv);
    assert.equal(recordIn(at.check("gemini", ...run(...argv)))["first"], `${words.join("|")}\n`);
    assert.deepEqual(readdirSync(at.folder).sort(), [".consulta", "src"]);
  });

  it("takes no word of a project for the user's", async () => {
    const at = new Stage();
    const asked = () => at.check("gemini", ...run(...touch));
    at.write(".consulta/config.yaml", `checks: ${JSON.stringify([touch])}\n`);
    await checkRefused(at, 2, /may not run/, asked);
    at.write(".consulta/config.json", JSON.stringify({ checks: [touch] }));
    await checkRefused(at, 2, /checks is not a field/, asked);
    assert(!isMade(at));
  });

  it("refuses below an AI CLI what is not listed, and runs there what is", async () => {
    const at = new Stage();
    const there = () => at.checkWith({ CLAUDECODE: "1" }, "claude", ...run(...touch));
    await checkRefused(at, 2, /Claude Code runs this; the user can allow it/, there);
    at.allow(touch);
    assert.equal(there().code, 0);
    assert(isMade(at));
  });

  it("refuses settings that are wrong, or that others may write to", async () => {
    const at = new Stage();
    const file = join(at.home, ".consulta", "config.yaml");
    const asked = () => at.check("gemini", ...run(...touch));
    at.allow(touch);
    for (const text of ["checks: npm test", "checks: [npm test]", "checks: [[]]", "check: []"]) {
      writeFileSync(file, `${text}\n`);
      await checkRefused(at, 2, /config\.yaml: .*correct the file/, asked);
    }
    at.allow(touch);
    chmodSync(file, 0o666);
    await checkRefused(at, 2, /may be written by others/, asked);
  });

  it("gives no standard input, no option of Node, no secret, and the project's root", () => {
    const at = new Stage();
    const code =
      "let n=0;process.stdin.on('data',()=>n++).on('end',()=>console.log(n,process.cwd(),process.env.NODE_OPTIONS,process.env.API_KEY,process.env.CI))";
    at.allow([node, "-e", code]);
    const cwd = join(at.folder, "deep");
    mkdirSync(cwd);
    const secret = { PATH: process.env["PATH"], NODE_OPTIONS: "--no-warnings", API_KEY: "k" };
    const env = { ...at.variables(), ...secret };
    const options = { cwd, input: "some\ninput\n", encoding: "utf8", env } as const;
    const ran = spawnSync(node, check(node, "-e", code), options);
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, new RegExp(`0 ${at.folder} undefined undefined true`));
  });

  it("finds no program in a folder of the project or where all may write, however PATH names it", async () => {
    const at = new Stage();
    const open = join(at.home, "open");
    for (const folder of [join(at.folder, "bin"), join(at.folder, "..bin"), open]) {
      mkdirSync(folder);
      writeFileSync(join(folder, "trick"), "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    }
    chmodSync(open, 0o777);
    const link = join(at.home, "link");
    symlinkSync(join(at.folder, "bin"), link);
    const print = [node, "-e", "console.log('path ' + process.env.PATH)"];
    at.allow(["trick"], print);
    const folders = [`${at.folder}/bin`, `${at.folder}/..bin`, link, open];
    for (const folder of ["bin", ...folders]) {
      const env = { PATH: `${folder}:${process.env["PATH"]}` };
      await checkRefused(at, 2, /there is no program "trick"/, () =>
        at.checkWith(env, "gemini", ...run("trick")),
      );
    }
    const env = { PATH: [...folders, "/usr/bin"].join(delimiter) };
    const ran = at.checkWith(env, "gemini", ...run(...print));
    assert.equal(recordIn(ran)["first"], "path /usr/bin\n");
  });

  const unshare = spawnSync("unshare", ["-rn", "true"]).status === 0;
  it("has no network where the system can take it away", { skip: !unshare }, async () => {
    const at = new Stage();
    let reached = 0;
    const server = createServer((socket) => {
      reached += 1;
      socket.end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const code = `require('net').connect(${port},'127.0.0.1').on('error',(e)=>console.log(e.code)).on('connect',()=>console.log('reached'))`;
    at.allow([node, "-e", code]);
    const ran = at.check("gemini", ...run(node, "-e", code));
    await new Promise((done) => server.close(done));
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(recordIn(ran)["network"], "off");
    assert.match(String(recordIn(ran)["first"]), /ECONNREFUSED|ENETUNREACH/);
    assert.equal(reached, 0);
  });

  const mayTalk = unshare && existsSync("/usr/sbin/ip");
  it("runs as who it is, and may talk to itself", { skip: !mayTalk }, () => {
    const at = new Stage();
    const code =
      "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{require('net').connect(s.address().port,'127.0.0.1').on('connect',()=>{console.log('uid',process.getuid());process.exit()})})";
    at.allow([node, "-e", code]);
    const expect = ["--expect", `uid ${process.getuid?.()}`];
    const ran = at.check("gemini", ...expect, ...run(node, "-e", code));
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  });
});

/** A word of this run's own: another run on this machine has processes of its own. */
function mark(name: string): string {
  return `mark-${name}-${process.pid}`;
}

/** Processes whose command line holds a word. */
function running(word: string): number {
  const all = readdirSync("/proc").filter((it) => /^\d+$/.test(it));
  return all.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  }).length;
}

/** A process takes a moment to begin or to be gone. */
async function untilRunning(word: string, isEnough: (count: number) => boolean): Promise<void> {
  let count = running(word);
  // One that has just begun has no command line for a moment: what was counted counts.
  for (let tries = 0; !isEnough(count) && tries < 1_200; tries += 1) {
    await sleep(50);
    count = running(word);
  }
  assert(isEnough(count), `${count} of ${word} run`);
}

describe("a command that is cut", { skip: process.platform !== "linux" }, () => {
  const environment = { PATH: process.env["PATH"] ?? "" };
  const bounds = { ...checkLimits, runMs: 1_000, outputBytes: 100_000, killAfterMs: 200 };
  const forks = `setsid sh -c 'while :; do sleep 1; done' ${mark("fork")} &`;
  const rows: [what: string, name: string, code: string, reason: RegExp][] = [
    ["hangs", "hang", "trap '' TERM; while :; do sleep 1; done", /longer than 1 s/],
    ["floods its output", "flood", "yes", /printed more than 100000 bytes/],
    ["floods its errors", "errors", "yes >&2", /printed more than 100000 bytes/],
    ["leaves its group", "fork", `${forks} while :; do sleep 1; done`, /longer than 1 s/],
    ["is killed from outside", "kill", "kill -9 $$", /killed from outside/],
  ];
  for (const [what, name, code, reason] of rows) {
    it(`${what}, and nothing of it runs on`, async () => {
      const words = ["-c", code, mark(name)];
      const end = await runCommand({ program: "/bin/sh", words }, "/", environment, { bounds });
      await untilRunning(mark(name), (count) => count === 0);
      assert.match(end.kind === "cut" ? end.reason : "", reason);
    });
  }

  it("leaves nothing behind when it ends well and a child holds its output", async () => {
    const seconds = `77.${process.pid}`;
    const words = ["-c", `setsid sleep ${seconds} & echo done`, mark("left")];
    const end = await runCommand({ program: "/bin/sh", words }, "/", environment, { bounds });
    assert.equal(end.kind === "ended" && end.output.toString(), "done\n");
    await untilRunning(`sleep\u0000${seconds}`, (count) => count === 0);
  });

  it("records nothing when check itself is killed meanwhile", async () => {
    const at = new Stage();
    const code = `setInterval(()=>{},1000)//${mark("killed")}`;
    at.allow([node, "-e", code]);
    const before = at.read("sessions", "talk", "events.jsonl");
    const env = { ...process.env, ...at.variables() };
    const child = spawn(node, check(node, "-e", code), { cwd: at.folder, env, stdio: "ignore" });
    await untilRunning(mark("killed"), (count) => count >= 2).finally(() => child.kill("SIGKILL"));
    await new Promise((done) => child.on("close", done));
    await untilRunning(mark("killed"), (count) => count === 0);
    assert.equal(at.read("sessions", "talk", "events.jsonl"), before);
  });
});
