import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkRefused, draft, isOneLine, projectMaker } from "../../dialogue/project.ts";
import { removeFolder } from "../../scratch-folder.ts";

const other = projectMaker();

describe("init refuses, in one line and without a trace,", () => {
  const project = other();
  project.open("auth");
  const both = "--participant claude --participant gemini";
  const two = both.split(" ");
  const openings: [name: string, args: string, reason: RegExp, topic?: string][] = [
    ["an empty topic", both, /the topic has 0 characters, expected 1 to 1000/, " "],
    ["a topic of 100 kB", both, /100000 characters, expected 1 to/, "a".repeat(100_000)],
    ["one participant", "--participant claude", /a dialogue needs two different part/],
    ["the same participant twice", "--participant a --participant a", /two different/],
    ["a reserved participant", "--participant user --participant a", /reserved/],
    ["a participant that is a path", "--participant ../a", /cannot name a participant/],
    ["a session that is a device", `--session nul ${both}`, /device name on Windows/],
    ["a session that is a path", `--session a/b ${both}`, /cannot name a session/],
    ["an unknown mode", `--mode slow ${both}`, /unknown mode "slow"; expected one of turns/],
  ];
  for (const [name, args, reason, topic = "x"] of openings) {
    const words = ["--topic", topic, ...args.split(" ")];
    it(`${name}, in a workspace`, () =>
      checkRefused(project, 2, reason, () => project.run("init", words)));
  }

  it("a wrong opening where there is no workspace yet", async () => {
    const at = other();
    const args = ["--topic", "x", "--participant", "user", "--participant", "gemini"];
    await checkRefused(at, 2, /the word is reserved/, () => at.run("init", args));
  });

  it("more sessions than the config allows", async () => {
    const at = other();
    for (const id of ["a", "b", "c"]) at.open(id);
    const { code, stderr } = at.run("init", ["--topic", "x", ...two]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: 3 sessions are open \(max_concurrent_sessions is 3\): a, b, c; go on in one, end one .*\n$/,
    );
    at.say("a", "claude", draft("ESCALATE", "Enough."));
    at.open("d");
  });

  it("more sessions than the config allows, with what allows more", () => {
    const at = other();
    const env = { HOME: join(at.folder, "home") };
    mkdirSync(env.HOME);
    const opens = () => at.run("init", ["--topic", "x", ...two], "", { env });
    while (opens().code === 0);
    const { stderr } = opens();
    const [, most, file, own] =
      /set max_concurrent_sessions to (\d+) in (\S+), and write "(limits: .+)" into ~\/\.consulta\/config\.yaml\n$/.exec(
        stderr,
      ) ?? [];
    const path = join(at.folder, file ?? "");
    const config = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ ...config, max_concurrent_sessions: Number(most) }));
    writeFileSync(join(env.HOME, ".consulta/config.yaml"), `${own}\n`, { mode: 0o600 });
    const { code, stderr: told } = opens();
    assert.equal(code, 0, `${stderr}\n${told}`);
  });

  it("a mode that the config does not enable", async () => {
    const at = other();
    at.open("a");
    writeFileSync(at.path("config.json"), '{"modes_enabled":["rapida"]}');
    const reason = /mode async is not enabled; config\.json enables turns/;
    await checkRefused(at, 2, reason, () =>
      at.run("init", ["--topic", "x", "--mode", "parallelo", ...two]),
    );
  });
});

describe("a workspace that", () => {
  const posix = { skip: process.platform === "win32" };
  const made = () => {
    const at = other();
    at.open("auth");
    return at;
  };
  const request = () => draft("REQUEST", "Which?");

  for (const [name, config, reason] of [
    [
      "has a config with a key of no effect",
      '{"max_round":3}',
      /config\.json: max_round is not a field \(did you mean max_rounds\?\); correct the file/,
    ],
    ["has a config that is no JSON", "{\n oops\n}", /config\.json is not JSON/],
    [
      "has a config with a value out of range",
      '{"max_rounds":0}',
      /max_rounds is 0, expected a whole/,
    ],
  ] as const) {
    it(`${name} is refused by every script`, async () => {
      const at = made();
      writeFileSync(at.path("config.json"), config);
      await checkRefused(at, 2, reason, () => at.send("auth", "claude", request()));
      await checkRefused(at, 2, reason, () => at.next("auth", "claude"));
      const args = ["--topic", "x", "--participant", "a", "--participant", "b"];
      await checkRefused(at, 2, reason, () => at.run("init", args));
    });
  }

  it("is a link is refused", posix, async () => {
    const at = made();
    const linked = other();
    symlinkSync(at.path(), linked.path());
    const reason = /\.consulta is a link; Consulta does not follow links: replace it/;
    await checkRefused(linked, 2, reason, () => linked.next("auth", "claude"));
    await checkRefused(linked, 2, reason, () => linked.send("auth", "claude", request()));
    const args = ["--topic", "x", "--participant", "a", "--participant", "b"];
    const before = at.listing();
    await checkRefused(linked, 2, reason, () => linked.run("init", args));
    assert.deepEqual(at.listing(), before);
  });

  for (const name of ["sessions", "inbox-gemini", "archive"]) {
    it(`has a link in place of ${name} writes nothing through it`, posix, () => {
      const at = made();
      const outside = other();
      if (readdirSync(at.path()).includes(name)) removeFolder(at.path(name));
      symlinkSync(outside.folder, at.path(name));
      at.send("auth", "claude", request());
      const ran = at.next("auth", "claude");
      assert.deepEqual(Object.keys(outside.listing()), ["."]);
      assert.notEqual(ran.code, 70, ran.stderr);
    });
  }

  it("is read-only is left as it is, and says so", posix, async () => {
    const at = made();
    // The superuser may write anywhere, so the script runs as somebody else.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    const places = Object.entries(at.listing()).map(([name, what]) => ({
      path: join(at.folder, name),
      what,
    }));
    for (const { path, what } of places) {
      if (uid !== undefined) chownSync(path, uid, uid);
      chmodSync(path, what.startsWith("folder") ? 0o500 : 0o400);
    }
    const options = uid === undefined ? {} : { uid };
    try {
      await checkRefused(
        at,
        4,
        /cannot .*: permission is denied; check who owns the file and its folder/,
        () => at.send("auth", "claude", request(), options),
      );
      const args = ["--session", "auth", "--participant", "claude"];
      assert.match(at.run("next-action", args, "", options).stdout, /YOUR TURN/);
    } finally {
      for (const { path } of places) if (lstatSync(path).isDirectory()) chmodSync(path, 0o700);
    }
  });

  it("lies on a full disk is left as it is, and goes on when there is room", posix, () => {
    const at = made();
    const args = ["--session", "auth", "--participant", "claude", "--message", "-"];
    const text = JSON.stringify(request());
    const log = at.read("sessions", "auth", "events.jsonl");
    const ran = at.runOnFullDisk("append-event", args, text);
    assert.equal(ran.code, 4, ran.stderr);
    assert.match(ran.stderr, /^error: cannot .*; raise the file size limit and run this again/);
    assert(isOneLine(ran.stderr), ran.stderr);
    assert.equal(at.read("sessions", "auth", "events.jsonl"), log);
    assert.deepEqual(at.files("sessions", "auth"), at.files("sessions", "auth"));
    assert.equal(at.send("auth", "claude", text).code, 0);
    assert.equal(at.events("auth").length, 2);
  });

  it("lies on a full disk says so in init", posix, () => {
    const at = other();
    const args = ["--topic", "x", "--participant", "a", "--participant", "b"];
    const ran = at.runOnFullDisk("init", args);
    assert.equal(ran.code, 4, ran.stderr);
    assert(isOneLine(ran.stderr), ran.stderr);
    assert.equal(at.run("init", args).code, 0);
  });
});

describe("a workspace whose .gitignore somebody removed", () => {
  const project = other();
  const ignore = project.path(".gitignore");
  const git = (...words: string[]) =>
    spawnSync("git", ["-C", project.folder, ...words], { encoding: "utf8" }).stdout;
  git("init", "-q");
  project.open("talk");
  const text = readFileSync(ignore, "utf8");
  const board = ".consulta/sessions/pool";
  assert.equal(project.run("init", [board, "2"]).code, 0);
  const on = ["--session", "talk"];
  const question = JSON.stringify(draft("REQUEST", "Files or SQLite?"));
  const writers: [script: string, args: string[], input?: string][] = [
    ["next-action", [...on, "--participant", "claude"]],
    ["append-event", [...on, "--participant", "claude", "--message", "-"], question],
    ["wait-for-turn", [...on, "--participant", "gemini"]],
    ["step-in", ["say", "Keep it small.", ...on]],
    ["journal", [...on, "--participant", "claude", "--notes", "Quick."]],
    ["register", [board, "claude"]],
    ["read-all", [board, "claude"]],
    ["ready", [board, "claude"]],
    ["close", [...on, "--reason", "Enough."]],
  ];
  for (const [script, args, input] of writers) {
    it(`has it again after ${script}, so that git sees nothing of the sessions`, () => {
      rmSync(ignore, { force: true });
      const { code, stderr } = project.run(script, args, input);
      assert.equal(code, 0, stderr);
      assert.equal(readFileSync(ignore, "utf8"), text);
      assert.doesNotMatch(git("status", "--porcelain", "-uall"), /sessions|archive|inbox|journal/);
    });
  }

  it("is left as it is by what only reads, and where the file says something else", () => {
    rmSync(ignore, { force: true });
    for (const script of ["status", "report", "validate"])
      project.run(script, script === "status" ? [] : on);
    assert(!existsSync(ignore));
    writeFileSync(ignore, "*.md\n");
    assert.equal(project.run("register", [board, "gemini"]).code, 0);
    assert.equal(readFileSync(ignore, "utf8"), "*.md\n");
  });
});
