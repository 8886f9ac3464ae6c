import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeCrash, type Scene } from "../crash/sweep.ts";
import { scriptPath } from "../dialogue/project.ts";
import { Board, reportText } from "./board.ts";

let begun: Board | undefined;

/** A board of two on which `a` is registered and has posted; made once, copied for every point. */
function boardOfTwo(): Board {
  if (begun === undefined) {
    begun = new Board().init(2).register("a");
    begun.post("a", "first");
    begun.put("mine.md", reportText({ title: "Only once" }));
  }
  return begun.copy();
}

async function ok(at: Board, point: string, script: string, ...args: string[]): Promise<string> {
  const ran = await at.start(script, args).done;
  assert.equal(ran.code, 0, `${point}, then ${script}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

async function isSound(at: Board, point: string): Promise<void> {
  const ran = await at.project.start("validate", ["--folder", at.name], "").done;
  assert.equal(ran.stdout, "board validation passed\n", `${point}: ${ran.stdout}${ran.stderr}`);
}

/** What readers see; a draft of a dead writer is hidden, and swept in an hour. */
function reportsOf(at: Board): string[] {
  const names = readdirSync(at.path("findings", "a"));
  return names.filter((name) => !name.startsWith(".")).sort();
}

const registering: Scene<Board> = {
  make: () => new Board().init(2),
  command: (at) => [scriptPath("register"), at.folder, "b"],
  /** The same command registers, or says that the name is taken: by the first. The deadline is set once. */
  async goesOn(at, stopped, point) {
    const again = await at.start("register", ["b"]).done;
    const told = stopped.output.some((line) => line.startsWith("Registered: b"));
    assert(again.code === 1 || (again.code === 0 && !told), `${point}: ${again.stderr}`);
    assert.equal((await at.start("register", ["b"]).done).code, 1, point);
    await ok(at, point, "register", "c");
    assert.equal(at.read("agents.md").match(/^- b \(/gm)?.length, 1, point);
    assert.equal(at.read("meta.md").match(/deadline/g)?.length, 1, point);
    assert.equal(at.eventsOf("registered").length, 2, point);
    await isSound(at, point);
  },
};

const posting: Scene<Board> = {
  make: boardOfTwo,
  command: (at) => [
    scriptPath("post"),
    ...[at.folder, "a", "second", "--file", join(at.project.folder, "mine.md")],
  ],
  /** The same command again publishes the report once, under one number. */
  async goesOn(at, _stopped, point) {
    const { name } = at;
    const report = join(at.project.folder, "mine.md");
    const path = await ok(at, point, "post", "a", "second", "--file", report);
    assert.equal(path, `${name}/findings/a/02-second.md\n`, point);
    assert.deepEqual(reportsOf(at), ["01-first.md", "02-second.md"], point);
    assert.equal(
      at.read("findings", "a", "02-second.md"),
      reportText({ title: "Only once" }),
      point,
    );
    assert.equal(at.eventsOf("posted").length, 2, point);
    await isSound(at, point);
  },
};

const numbering: Scene<Board> = {
  make: boardOfTwo,
  command: (at) => [scriptPath("post"), at.folder, "a", "second"],
  /** A number that somebody may have been told is never given again. */
  async goesOn(at, stopped, point) {
    const again = (await ok(at, point, "post", "a", "third")).trimEnd();
    const told = stopped.output.filter((line) => line.endsWith("-second.md"));
    for (const path of told) {
      assert.equal(path.slice(-"02-second.md".length), "02-second.md", point);
      assert(existsSync(at.path("findings", "a", "02-second.md")), point);
    }
    const numbers = reportsOf(at).map((file) => file.slice(0, 2));
    assert.equal(new Set(numbers).size, numbers.length, `${point}: ${numbers}`);
    writeFileSync(join(at.project.folder, again), reportText());
    assert.equal(
      at.pool("c").findings.some(({ text }) => text === reportText()),
      true,
      point,
    );
  },
};

const gettingReady: Scene<Board> = {
  make: boardOfTwo,
  command: (at) => [scriptPath("ready"), at.folder, "a", "--strict"],
  async goesOn(at, stopped, point) {
    if (stopped.output.some((line) => line.startsWith("Agent a marked ready"))) {
      assert.match((await at.start("poll", ["a"]).done).stdout, /^waiting \(1\/2/, point);
    }
    assert.match(await ok(at, point, "ready", "a", "--strict"), /^Agent a marked ready \(1\/2\)/);
    assert.equal(at.eventsOf("readied").length, 1, point);
    await isSound(at, point);
  },
};

/** Init works beside the board's place until the board is whole. */
class BoardPlace {
  readonly board = new Board("boards/mine");
  readonly project = this.board.project;
  readonly folder = join(this.project.folder, "boards");
}

const beginning: Scene<BoardPlace> = {
  make() {
    const at = new BoardPlace();
    mkdirSync(at.folder);
    return at;
  },
  command: ({ board }) => [scriptPath("init"), board.folder, "2", "60"],
  /** There is a whole board or none. */
  async goesOn({ board }, stopped, point) {
    const isThere = existsSync(board.folder);
    const again = await board.start("init", ["2", "60"]).done;
    assert.equal(again.code, isThere ? 3 : 0, `${point}: ${again.stderr}`);
    if (stopped.output.includes("Expected agents: 2")) assert(isThere, point);
    await ok(board, point, "register", "a");
    assert.deepEqual(
      board.events().map(({ event }) => event),
      ["board_opened", "registered", "deadline_set"],
      point,
    );
    await isSound(board, point);
  },
};

describeCrash("register", registering, 15);
describeCrash("post --file", posting, 12);
describeCrash("post", numbering, 10);
describeCrash("ready", gettingReady, 10);
describeCrash("init", beginning, 15);
