import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { scriptPath } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { runInThread, runsInThread } from "../script-host.ts";

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? false : "needs root, to be another user as well";
const hasModes = process.platform === "win32" ? "Windows has no modes" : false;
const stranger = 65_534;

const scratch = makeScratchFolder();
chmodSync(scratch, 0o755);
after(() => removeFolder(scratch));
const home = join(scratch, "home");
/** A folder for all, as the temporary one is, with a project in it. */
const shared = join(scratch, "shared");
const project = join(shared, "project");
const above = join(shared, ".consulta");

beforeEach(() => {
  for (const folder of [home, shared]) rmSync(folder, { recursive: true, force: true });
  for (const folder of [home, shared, project]) mkdirSync(folder);
  chmodSync(shared, 0o1777);
});

interface Where {
  readonly cwd?: string;
  readonly env?: Record<string, string | undefined>;
  readonly uid?: number;
  readonly input?: string;
}

function run(script: string, args: string[], { cwd = project, env = {}, ...more }: Where = {}) {
  const { PATH = "" } = process.env;
  const environment = { PATH, HOME: home, XDG_CACHE_HOME: codeCache, ...env };
  // Who it runs as, and what home the system lists for them, only a process has of its own.
  const isOwn = env["HOME"] !== undefined || more.uid !== undefined;
  if (!isOwn && runsInThread(script, args)) {
    const { input = "" } = more;
    return runInThread({ script, args, input, environment }, cwd);
  }
  const ran = spawnSync(process.execPath, [scriptPath(script), ...args], {
    cwd,
    env: environment,
    encoding: "utf8",
    input: "",
    ...more,
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
}

const opening = ["--topic", "Which?", "--participant", "claude", "--participant", "gemini"];
const init = ["--session", "talk", ...opening];

function open(where: Where = {}): void {
  const { code, stderr } = run("init", init, where);
  assert.deepEqual([code, stderr], [0, ""]);
}

/** What somebody else put above the project, as whole as one of ours. */
function makeForeign(owner = stranger): void {
  const made = run("init", [...init, "--workspace", shared]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  for (const name of ["", ...readdirSync(above, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(above, name), owner, owner);
  }
}

function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

const commands: [script: string, args: string[]][] = [
  ["init", init],
  ["next-action", ["--participant", "claude"]],
  ["append-event", ["--participant", "claude", "--message", "-"]],
  ["close", ["--reason", "over"]],
  ["validate", []],
  ["status", []],
  ["report", []],
  ["consult", ["--participants", "a=command:true,b=command:true", "Which?"]],
  ["profile", ["--participant", "claude"]],
  ["brain", ["list"]],
];

describe("a workspace of another user", { skip: needsRoot }, () => {
  for (const [script, args] of commands) {
    it(`above the project is refused by ${script} ${args[0] ?? ""}`, () => {
      makeForeign();
      const earlier = listing(above);
      const { code, stdout, stderr } = run(script, args);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert.match(stderr, /^error: \S+\/shared\/\.consulta belongs to user 65534, you are 0; /);
      assert.match(stderr, /mkdir -m 700 \.consulta.*--allow-shared\n$/);
      assert.deepEqual(listing(above), earlier, "something was written");
    });
  }

  it("in the project is refused by install", () => {
    makeForeign();
    const { code, stderr } = run("install", ["--into", shared]);
    assert.equal(code, 2);
    assert.match(stderr, /belongs to user 65534/);
  });

  it("is used by who says so, and each printed line says it too", () => {
    makeForeign();
    const { code, stdout } = run("next-action", ["--participant", "claude", "--allow-shared"]);
    assert.equal(code, 0);
    const lines = stdout.split("\n").filter((it) => it.startsWith("node "));
    assert(lines.length > 0);
    for (const line of lines) assert.match(line, /--allow-shared/);
    const env = { CONSULTA_ALLOW_SHARED: "1" };
    assert.equal(run("next-action", ["--participant", "claude"], { env }).code, 0);
  });

  it("makes hooks silent, and doctor says why", () => {
    makeForeign();
    const config = join(above, "config.json");
    writeFileSync(config, "no config");
    const earlier = listing(above);
    const input = JSON.stringify({ hook_event_name: "Stop", session_id: "s", cwd: project });
    const ran = run("hook", ["claude"], { input });
    assert.deepEqual(ran, { code: 0, stdout: "", stderr: "" });
    assert.deepEqual(listing(above), earlier, "the hook left a note in it");
    const { stdout } = run("doctor", []);
    const fixed =
      /^FIX {2}\S+\/\.consulta belongs to user 65534.*hooks are silent -> mkdir -m 700/m;
    assert.doesNotMatch(stdout, /^FIX .*no config/m);
    assert.match(stdout, fixed);
  });

  it("does not give its config to a board beside it", () => {
    makeForeign();
    const { code, stderr } = run("init", [join(shared, "board"), "2"]);
    assert.equal(code, 0, stderr);
    const ran = run("register", [join(shared, "board"), "ana"]);
    assert.equal(ran.code, 0, ran.stderr);
  });

  it("is refused also when root's is another user's", () => {
    makeForeign(0);
    chmodSync(above, 0o755);
    const { code, stderr } = run("status", [], { uid: stranger });
    assert.equal(code, 2);
    assert.match(stderr, /belongs to user 0, you are 65534/);
  });

  it("is one's own under sudo", () => {
    makeForeign();
    const env = { SUDO_UID: String(stranger) };
    assert.equal(run("status", [], { env }).code, 0);
  });
});

describe("a workspace that others may write to", { skip: hasModes }, () => {
  const places: [what: string, path: string, mode: number][] = [
    ["its group", ".consulta", 0o770],
    ["all", ".consulta", 0o707],
    ["its group, inside", ".consulta/sessions", 0o775],
    ["all, in the config", ".consulta/config.json", 0o666],
    ["all, in the log", ".consulta/sessions/talk/events.jsonl", 0o666],
  ];
  for (const [what, path, mode] of places) {
    it(`(${what}) is refused with the line that closes it`, () => {
      open();
      if (path !== ".consulta") chmodSync(join(project, ".consulta"), 0o755);
      if (path.includes("talk")) chmodSync(join(project, ".consulta/sessions"), 0o755);
      chmodSync(join(project, path), mode);
      const next = ["--participant", "claude", "--session", "talk"];
      const { code, stdout, stderr } = run("next-action", next);
      assert.deepEqual([code, stdout], [2, ""]);
      const [, line = ""] = /: (chmod -R go-w \S+); if it is shared .*\n$/.exec(stderr) ?? [];
      assert.notEqual(line, "", stderr);
      assert.equal(run("next-action", [...next, "--allow-shared"]).code, 0);
      spawnSync("sh", ["-c", line]);
      assert.equal(run("next-action", next).code, 0);
    });
  }

  it("is refused where anybody can put another in its place", () => {
    chmodSync(shared, 0o777);
    open({ cwd: project });
    chmodSync(project, 0o777);
    const { code, stderr } = run("status", []);
    assert.equal(code, 2);
    assert.match(stderr, /anybody can replace \S+\/\.consulta: chmod o-w \S+\/project; /);
    chmodSync(project, 0o1777);
    assert.equal(run("status", []).code, 0);
  });

  it("is not made for a repository that another user has put above the project", (t) => {
    if (process.getuid?.() !== 0) return t.skip("needs root, to be another user");
    const repository = join(shared, ".git");
    mkdirSync(repository);
    chownSync(repository, stranger, stranger);
    open({ cwd: project });
    assert.deepEqual([existsSync(above), existsSync(join(project, ".consulta"))], [false, true]);
  });

  it("is made in a folder that anybody may write to only where the user names it", () => {
    const { code, stderr } = run("init", init, { cwd: shared });
    assert.equal(code, 2);
    assert.match(stderr, /is no project: .*--workspace DIR$/m);
    assert(!existsSync(above));
  });

  it("is one's own where only the modes of what nobody can reach are open", () => {
    open();
    chmodSync(join(project, ".consulta/sessions"), 0o777);
    chmodSync(join(project, ".consulta"), 0o700);
    assert.equal(run("status", []).code, 0);
  });
});

describe("no workspace is made", () => {
  const wide: [what: string, cwd: string][] = [
    ["in the home folder", home],
    ["in the root folder", "/"],
  ];
  for (const [what, cwd] of wide) {
    it(`${what} unasked`, { skip: cwd === "/" && existsSync("/.consulta") }, () => {
      const earlier = existsSync(join(cwd, ".consulta"));
      const noProject = /is no project: go to your project's folder, or name one with --work/;
      for (const [script, args, told] of [
        ["init", init, noProject],
        ["profile", ["--participant", "claude"], /no \.consulta folder in/],
        ["wait-for-turn", ["--participant", "claude", "--timeout", "1"], noProject],
      ] as const) {
        const { code, stderr } = run(script, [...args], { cwd });
        assert.equal(code, 2, script);
        assert.match(stderr, told);
      }
      assert.equal(existsSync(join(cwd, ".consulta")), earlier);
    });
  }

  it("in a home that is a repository of dotfiles, but in the folder below", () => {
    mkdirSync(join(home, ".git"));
    mkdirSync(join(home, "work"));
    open({ cwd: join(home, "work") });
    assert(existsSync(join(home, "work/.consulta/sessions/talk")));
    assert(!existsSync(join(home, ".consulta/config.json")));
  });

  it("in a home, except by who names it", () => {
    const { code, stderr } = run("init", [...init, "--workspace", home], { cwd: project });
    assert.equal(code, 0, stderr);
    assert(existsSync(join(home, ".consulta/sessions/talk")));
  });
});

describe("a HOME that names no home", () => {
  const values: [what: string, HOME: string][] = [
    ["empty", ""],
    ["relative", "lost"],
    ["the root of the disk", "/"],
  ];
  for (const [what, HOME] of values) {
    it(`(${what}) makes nothing in the root folder, nor here`, () => {
      const roots = () => readdirSync("/").filter((name) => name === ".consulta");
      const earlier = roots();
      // In a CLI: a seat is taken in the home folder.
      const env = { HOME, CLAUDECODE: "1" };
      open({ env });
      const { code } = run("next-action", ["--participant", "claude"], { env });
      assert.equal(code, 0);
      run("doctor", [], { env });
      run("brain", ["status"], { env });
      assert.deepEqual(roots(), earlier);
      assert.deepEqual(readdirSync(project), [".consulta"]);
      assert(!existsSync(join(project, ".consulta/seats")));
    });
  }

  it("and one that is only named is made: what is begun is begun here", () => {
    const HOME = join(home, "new");
    open({ env: { HOME } });
    const report = () => run("report", ["--session", "talk"], { env: { HOME } }).stdout;
    assert.match(report(), /^\*\*OPEN /m);
    assert.doesNotMatch(report(), /begun here/);
    assert.equal(statSync(HOME).mode & 0o777, 0o700);
    rmSync(HOME, { recursive: true });
    assert.match(report(), /nothing tells whether it was begun here: HOME names no folder/);
  });

  it("falls back to the one that the system lists, else the line says so", {
    skip: needsRoot,
  }, () => {
    chmodSync(project, 0o777);
    for (const HOME of ["", undefined]) {
      const where = { env: { HOME }, uid: 4_123_456, cwd: project };
      // No list has this user: `~` means nothing.
      const { code, stderr } = run("status", ["--workspace", "~/x"], where);
      assert.equal(code, 2, stderr);
      const ran = run("next-action", ["--folder", "~/x", "--participant", "claude"], where);
      assert.deepEqual([ran.code, ran.stdout], [2, ""]);
      assert.match(ran.stderr, /^error: HOME is not set, and you have no home folder: set HOME/);
    }
  });
});
