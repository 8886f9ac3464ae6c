import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
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
const node = process.execPath;

describe("check --run", () => {
  it("runs what the user's settings list, word by word, and records what came out", () => {
    const at = new Stage();
    const argv = [node, "-e", "console.log('pass 12'); console.error('warned')"];
    at.allow(["npm", "test"], argv);
    const record = recordIn(at.check("gemini", "--expect", "pass 12", ...run(...argv)));
    assert.deepEqual([record["kind"], record["met"], record["exit"]], ["run", true, 0]);
    assert.match(String(record["first"]), /pass 12\n/);
    assert.match(String(record["first"]), /warned\n/);
  });

  it("records with exit 1 a command that fails, or does not print the words", () => {
    const at = new Stage();
    const [fails, other] = [
      [node, "-e", "process.exit(3)"],
      [node, "-e", "console.log('fail 1')"],
    ];
    at.allow(fails, other);
    const failed = at.check("gemini", ...run(...fails));
    assert.deepEqual(
      [failed.code, recordIn(failed)["exit"], recordIn(failed)["met"]],
      [1, 3, false],
    );
    const silent = at.check("gemini", "--expect", "pass", ...run(...other));
    assert.deepEqual(
      [silent.code, recordIn(silent)["exit"], recordIn(silent)["met"]],
      [1, 0, false],
    );
  });

  const made = (at: Stage) => existsSync(join(at.folder, "made"));
  const touch = [node, "-e", "require('fs').writeFileSync('made','')"];
  const unlike: [name: string, argv: string[]][] = [
    ["one word more", [...touch, "x"]],
    ["one word less", touch.slice(0, 2)],
    ["the words in one", [touch.join(" ")]],
    ["another program of the same name", ["./node", ...touch.slice(1)]],
    ["more behind shell signs", ["npm", "test", "&&", "touch", "made"]],
    ["another case", ["NPM", "test"]],
    ["a prefix", ["npm"]],
  ];
  for (const [name, argv] of unlike) {
    it(`does not run ${name} than is allowed`, async () => {
      const at = new Stage();
      at.allow(["npm", "test"], [...touch.slice(0, 2), "1"]);
      await checkRefused(at, 2, /may not run: the user has not allowed it/, () =>
        at.check("gemini", ...run(...argv)),
      );
      assert(!made(at));
    });
  }

  it("has no shell: signs of one are words", () => {
    const at = new Stage();
    const argv = [
      node,
      "-e",
      "console.log(process.argv.slice(1).join('|'))",
      "a;b",
      "$(id)",
      "`x`",
      "*",
      "> y",
    ];
    at.allow(argv);
    const record = recordIn(at.check("gemini", ...run(...argv)));
    assert.equal(record["first"], "a;b|$(id)|`x`|*|> y\n");
    assert.deepEqual(readdirSync(at.folder).sort(), [".consulta", "src"]);
  });

  it("takes no word of a project, a message or a driver's environment for the user's", async () => {
    const at = new Stage();
    at.write(".consulta/config.yaml", `checks: ${JSON.stringify([touch])}\n`);
    await checkRefused(at, 2, /may not run/, () => at.check("gemini", ...run(...touch)));
    at.write(".consulta/config.json", JSON.stringify({ checks: [touch] }));
    await checkRefused(at, 2, /checks is not a field/, () => at.check("gemini", ...run(...touch)));
    assert(!made(at));
  });

  it("refuses below an AI CLI what is not listed, and runs there what is", async () => {
    const at = new Stage();
    const env = { HOME: at.home, CLAUDECODE: "1" };
    const who = ["--session", "talk", "--participant", "claude"];
    const there = (...argv: string[]) => at.run("check", [...who, ...run(...argv)], "", { env });
    await checkRefused(at, 2, /Claude Code runs this; the user can allow it/, () =>
      there(...touch),
    );
    at.allow(touch);
    assert.equal(there(...touch).code, 0);
    assert(made(at));
  });

  it("refuses settings that are wrong, or that others may write to", async () => {
    const at = new Stage();
    const file = join(at.home, ".consulta", "config.yaml");
    at.allow(touch);
    for (const text of [
      "checks: npm test",
      "checks: [npm test]",
      "checks: [[]]",
      "checks: [[npm, 1]]",
      "check: []",
    ]) {
      writeFileSync(file, `${text}\n`);
      await checkRefused(at, 2, /config\.yaml: .*correct the file/, () =>
        at.check("gemini", ...run(...touch)),
      );
    }
    at.allow(touch);
    chmodSync(file, 0o666);
    await checkRefused(at, 2, /may be written by others/, () =>
      at.check("gemini", ...run(...touch)),
    );
  });

  it("says that a program is missing, and records nothing", async () => {
    const at = new Stage();
    at.allow(["no-such-program", "x"]);
    await checkRefused(at, 2, /there is no program "no-such-program"/, () =>
      at.check("gemini", ...run("no-such-program", "x")),
    );
  });

  it("gives no standard input, no option of Node, no secret, and the project's root", () => {
    const at = new Stage();
    const code =
      "let n=0;process.stdin.on('data',()=>n++).on('end',()=>console.log(n,process.cwd(),process.env.NODE_OPTIONS,process.env.API_KEY,process.env.CI))";
    at.allow([node, "-e", code]);
    mkdirSync(join(at.folder, "deep"));
    const ran = spawnSync(
      node,
      [
        scriptPath("check"),
        "--session",
        "talk",
        "--participant",
        "gemini",
        ...run(node, "-e", code),
      ],
      {
        cwd: join(at.folder, "deep"),
        input: "some\ninput\n",
        encoding: "utf8",
        env: {
          PATH: process.env["PATH"],
          HOME: at.home,
          NODE_OPTIONS: "--no-warnings",
          API_KEY: "k",
        },
      },
    );
    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, new RegExp(`0 ${at.folder} undefined undefined true`));
  });

  it("does not run a program that lies in a folder of the project, or where all may write", async () => {
    const at = new Stage();
    const open = join(at.home, "open");
    for (const folder of [join(at.folder, "bin"), join(at.folder, "..bin"), open]) {
      mkdirSync(folder);
      writeFileSync(join(folder, "trick"), "#!/bin/sh\ntouch made\n", { mode: 0o755 });
    }
    chmodSync(open, 0o777);
    const link = join(at.home, "link");
    symlinkSync(join(at.folder, "bin"), link);
    at.allow(["trick"]);
    const who = ["--session", "talk", "--participant", "gemini"];
    for (const folder of ["bin", `${at.folder}/bin`, `${at.folder}/..bin`, link, open]) {
      const env = { HOME: at.home, PATH: `${folder}:${process.env["PATH"]}` };
      await checkRefused(at, 2, /there is no program/, () =>
        at.run("check", [...who, ...run("trick")], "", { env }),
      );
    }
  });

  it("lets it find no program in a folder of the project, however PATH names that", () => {
    const at = new Stage();
    const inside = [join(at.folder, "bin"), join(at.folder, "..bin")];
    for (const folder of inside) mkdirSync(folder);
    const link = join(at.home, "link");
    symlinkSync(join(at.folder, "bin"), link);
    const argv = [node, "-e", "console.log('path ' + process.env.PATH)"];
    at.allow(argv);
    const path = (folders: string[]) => [...folders, "/usr/bin"].join(delimiter);
    const env = { HOME: at.home, PATH: path([...inside, link]) };
    const who = ["--session", "talk", "--participant", "gemini"];
    const ran = at.run("check", [...who, ...run(...argv)], "", { env });
    assert.equal(recordIn(ran)["first"], `path ${path([])}\n`);
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
    const args = ["--session", "talk", "--participant", "gemini", ...run(node, "-e", code)];
    const child = at.start("check", args, "");
    void child;
    await child.done;
    const ran = at.check("gemini", ...run(node, "-e", code));
    server.close();
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(recordIn(ran)["network"], "off");
    assert.match(String(recordIn(ran)["first"]), /ECONNREFUSED|ENETUNREACH/);
    assert.equal(reached, 0);
  });

  it("runs as who it is, and may talk to itself", {
    skip: !unshare || !existsSync("/usr/sbin/ip"),
  }, () => {
    const at = new Stage();
    const code =
      "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{require('net').connect(s.address().port,'127.0.0.1').on('connect',()=>{console.log('uid',process.getuid());process.exit()})})";
    at.allow([node, "-e", code]);
    const ran = at.check(
      "gemini",
      "--expect",
      `uid ${process.getuid?.()}`,
      ...run(node, "-e", code),
    );
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

describe("a command that is cut", { skip: process.platform !== "linux" }, () => {
  const environment = { PATH: process.env["PATH"] ?? "" };
  const bounds = { ...checkLimits, runMs: 1_000, outputBytes: 100_000, killAfterMs: 200 };
  const cut = async (code: string, word: string) => {
    const words = ["-c", code, word];
    const end = await runCommand({ program: "/bin/sh", words }, "/", environment, { bounds });
    await sleep(100);
    assert.equal(running(word), 0, "something runs on");
    assert.equal(end.kind, "cut");
    return end.kind === "cut" ? end.reason : "";
  };

  it("hangs and ignores the polite signal", async () => {
    assert.match(
      await cut("trap '' TERM; while :; do sleep 1; done", mark("hang")),
      /longer than 1 s/,
    );
  });
  it("floods its output, or its errors", async () => {
    assert.match(await cut("yes", mark("flood")), /printed more than 100000 bytes/);
    assert.match(await cut("yes >&2", mark("errors")), /printed more than 100000 bytes/);
  });
  it("forks and leaves its group", async () => {
    const daemon = `setsid sh -c 'while :; do sleep 1; done' ${mark("fork")} & while :; do sleep 1; done`;
    assert.match(await cut(daemon, mark("fork")), /longer than 1 s/);
  });
  it("is killed from outside", async () => {
    assert.match(await cut("kill -9 $$", mark("kill")), /killed from outside/);
  });

  it("leaves nothing behind when it ends well and a child holds its output", async () => {
    const seconds = `77.${process.pid}`;
    const words = ["-c", `setsid sleep ${seconds} & echo done`, mark("left")];
    const end = await runCommand({ program: "/bin/sh", words }, "/", environment, { bounds });
    assert.equal(end.kind === "ended" && end.output.toString(), "done\n");
    // A killed process takes a moment to be gone.
    for (let tries = 0; running(`sleep\u0000${seconds}`) > 0 && tries < 1_200; tries += 1)
      await sleep(50);
    assert.equal(running(`sleep\u0000${seconds}`), 0);
  });

  it("records nothing when check itself is killed meanwhile", async () => {
    const at = new Stage();
    const code = `setInterval(()=>{},1000)//${mark("killed")}`;
    at.allow([node, "-e", code]);
    const before = at.read("sessions", "talk", "events.jsonl");
    const args = [
      scriptPath("check"),
      "--session",
      "talk",
      "--participant",
      "gemini",
      ...run(node, "-e", code),
    ];
    const { spawn } = await import("node:child_process");
    const child = spawn(node, args, {
      cwd: at.folder,
      env: { ...process.env, HOME: at.home },
      stdio: "ignore",
    });
    for (let tries = 0; running(mark("killed")) < 2 && tries < 1_200; tries += 1) await sleep(50);
    child.kill("SIGKILL");
    await new Promise((done) => child.on("close", done));
    for (let tries = 0; running(mark("killed")) > 0 && tries < 1_200; tries += 1) await sleep(50);
    assert.equal(running(mark("killed")), 0);
    assert.equal(at.read("sessions", "talk", "events.jsonl"), before);
  });
});
