import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { openSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { limits } from "../../scripts-src/base/limits.ts";
import { Project, scriptPath } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const project = new Project();
const socket = createServer();
before(async () => {
  project.open("auth");
  spawnSync("mkfifo", [join(project.folder, "fifo")]);
  writeFileSync(join(project.folder, "big"), "");
  truncateSync(join(project.folder, "big"), 1_073_741_824);
  await new Promise<void>((resolve) => {
    socket.listen(join(project.folder, "socket"), resolve);
  });
});
after(() => {
  socket.close();
  removeFolder(project.folder);
});

const scripts: Record<string, string[]> = {
  "append-event": ["--session", "auth", "--participant", "claude", "--message"],
  profile: ["--participant", "claude", "--write"],
};

/** Runs a script that must end by itself, and returns what it said, its memory and its CPU time. */
function measured(words: string[], stdin: number | "ignore", timeout = 8_000) {
  const after =
    "process.on('exit',()=>{const{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();" +
    "console.error('KB '+maxRSS+' CPU '+(userCPUTime+systemCPUTime))})";
  const preload = `data:text/javascript,${encodeURIComponent(after)}`;
  const { status, signal, stderr } = spawnSync(process.execPath, ["--import", preload, ...words], {
    cwd: project.folder,
    encoding: "utf8",
    stdio: [stdin, "pipe", "pipe"],
    timeout,
  });
  const [, kilobytes, cpuUs] = /KB (\d+) CPU (\d+)/.exec(stderr) ?? [];
  return { status, signal, stderr, kilobytes: Number(kilobytes), cpuMs: Number(cpuUs) / 1_000 };
}

describe("what is named as input is refused before it is read, at once", () => {
  const places: [name: string, path: string, reason: RegExp][] = [
    ["a FIFO", "fifo", /cannot read fifo: it is a pipe; give a regular file/],
    ["an endless device", "/dev/zero", /cannot read \/dev\/zero: it is a device; give a regular/],
    ["a socket", "socket", /cannot read socket: it is a socket or a device; give a regular/],
    ["a folder", ".", /cannot read \.: it is a folder; give a regular file/],
    ["a file of 1 GB", "big", /big has 1073741824 bytes, the limit is 1048576; shorten it/],
  ];
  for (const [script, words] of Object.entries(scripts)) {
    for (const [name, path, reason] of places) {
      it(`${name}, by ${script}`, () => {
        const ran = measured([scriptPath(script), ...words, path], "ignore");
        assert.deepEqual([ran.status, ran.signal], [2, null]);
        assert.match(ran.stderr, reason);
        assert.ok(ran.kilobytes < 120_000, `${ran.kilobytes} kB`);
      });
    }
  }

  it("standard input without end, as soon as more came than the limit", () => {
    for (const [script, words] of Object.entries(scripts)) {
      const ran = measured([scriptPath(script), ...words, "-"], openSync("/dev/zero", "r"));
      assert.deepEqual([ran.status, ran.signal], [2, null]);
      assert.match(ran.stderr, /standard input has more than 1048576 bytes, the limit is 1048576/);
      assert.ok(ran.kilobytes < 120_000, `${ran.kilobytes} kB`);
    }
  });

  it("a terminal, where a person would have to know that something is waited for", () => {
    const words = [scriptPath("append-event"), ...(scripts["append-event"] ?? []), "-"];
    const line = [process.execPath, ...words].map((it) => `'${it}'`).join(" ");
    const ran = spawnSync("script", ["-qec", line, "/dev/null"], {
      cwd: project.folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    assert.match(ran.stdout, /cannot read standard input: it is a terminal; give a regular file/);
    assert.equal(ran.status, 2);
  });
});

describe("what comes by a pipe", () => {
  it("may come in pieces, and late", async () => {
    const words = [scriptPath("append-event"), ...(scripts["append-event"] ?? []), "-"];
    const child = spawn(process.execPath, words, { cwd: project.folder, stdio: "pipe" });
    const text = JSON.stringify({
      type: "REQUEST",
      question_or_proposal: { content: `SQLite or files? ${"x".repeat(200_000)}` },
      confidence: 0.5,
    });
    for (const piece of [text.slice(0, 7), text.slice(7, 100_000), text.slice(100_000)]) {
      child.stdin.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    child.stdin.end();
    const code = await new Promise((resolve) => child.on("exit", resolve));
    assert.equal(code, 0);
    const [, sent] = project.acts("auth");
    assert.match(JSON.stringify(sent), /x{200000}/);
  });
});

describe("an object with very many fields, or one with a very long name", () => {
  const many = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]));
  const texts: [name: string, value: object, told: RegExp][] = [
    ["80,000 fields", many, /k19 is not a field; 79980 more are no fields/],
    ["a name of 1 MB", { ["k".repeat(1_000_000)]: 1 }, /k\.\.\." is not a field/],
  ];
  for (const [name, value, told] of texts) {
    it(`is refused in a few lines as a config: ${name}`, () => {
      const other = new Project();
      try {
        other.open("auth");
        writeFileSync(other.path("config.json"), JSON.stringify(value), { mode: 0o600 });
        const { code, stderr } = other.run("status", []);
        assert.equal(code, 2);
        assert.match(stderr, told);
        assert.ok(stderr.length < 20_000, `${stderr.length} characters`);
      } finally {
        removeFolder(other.folder);
      }
    });
  }
});

describe("YAML is judged before it is parsed", () => {
  const texts: [name: string, text: string, reason: RegExp][] = [
    ["with 50,000 keys", lines(50_000, (n) => `k${n}: 1`), /more than 50000 pieces of YAML/],
    ["of 1 MB that nests one line", "a: ".repeat(333_333), /more than 50000 pieces of YAML/],
    ["of 1 MB of list signs", "- ".repeat(500_000), /nested deeper than 32 levels/],
    ["that nests in brackets", `a: ${"[".repeat(100_000)}`, /nested deeper than 32 levels/],
    ["with many anchors", lines(40_000, (n) => `k${n}: &a${n} 1`), /more than 50000 pieces/],
    ["with 3,000 anchors", lines(3_000, (n) => `k${n}: &a${n} 1`), /aliases, anchors or tags/],
    [
      "with 6,000 keys",
      lines(6_000, (n) => `k${n}: 1`),
      /^error: rejected for 23 reasons:\n(?: {2}- .*\n){23}/,
    ],
  ];
  for (const [name, text, reason] of texts) {
    it(`a message ${name} is refused after less than a second and a half of CPU`, () => {
      const file = join(project.folder, "structure.yaml");
      writeFileSync(file, text);
      const who = ["--session", "auth", "--participant", "gemini", "--message", file];
      const ran = measured([scriptPath("append-event"), ...who], "ignore", 60_000);
      assert.match(ran.stderr, reason);
      assert.equal(ran.status, 2);
      assert.ok(ran.cpuMs < 1_500, `${ran.cpuMs} ms`);
    });
  }

  it("but long plain text is no structure", () => {
    const text = `type: RESPONSE\nposition: Files it is.\nquestion_or_proposal:\n  content: |\n${"    word after word\n".repeat(40_000)}confidence: 0.5\n`;
    assert.ok(text.length < limits.messageBytes);
    const ran = project.send("auth", "gemini", text);
    assert.deepEqual([ran.code, ran.stderr], [0, ""]);
  });
});

function lines(count: number, line: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}
