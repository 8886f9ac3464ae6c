import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../bundled-fixture.ts";
import { scripted } from "../consult/scripted-line.ts";
import { draft, type Ran, scriptPath } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import type { Between, Rewriting } from "./between.ts";
import { Laptop, runPrinted, runUntilReached } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const fixture = bundledFixture("test/collaboration/participant.fixture.ts");
const names = ["a", "b", "c"];
/** What a report says where nothing is signed. */
const unproven = /who wrote what is not authenticated/;
const request = draft("REQUEST", "Files or SQLite?", { position: undefined });
const answer = draft("RESPONSE", "Files, they can be read.", { position: "files" });

/** What is said of history that is not what it was. */
const rewritings: readonly [how: Rewriting, said: RegExp, isRead: boolean][] = [
  ["cut", /history was rewritten: .*seen last.*nothing was changed here/, false],
  ["forced", /history was rewritten: .*seen last.*nothing was changed here/, false],
  ["deleted", /(?:was deleted|is gone with all its events).*nothing was changed here/, true],
];

interface SessionOptions {
  readonly skip?: string | false;
  readonly isWay?: boolean;
  /** So many share a board, each on a machine of their own. */
  readonly people?: number;
}

/**
 * What sessions of several machines promise, whatever the store and the way to it. Where only the way is another
 * (`isWay`), the stories are played that use all that a way has to carry.
 */
export function checkRemoteSession(
  name: string,
  open: () => Promise<Between>,
  { skip = false, isWay = false, people = names.length }: SessionOptions = {},
): void {
  describe(`machines over ${name}`, { skip, timeout: 1_200_000 }, () => {
    let way: Between;
    before(async () => {
      way = await open();
    });
    after(() => way?.stop());

    const machine = () => {
      const made = new Laptop(way.url, way.settings, way.environment);
      way.settle(made);
      return made;
    };
    const pair = () => [machine(), machine()] as const;
    const machines = (count: number) => Array.from({ length: count }, machine);
    const join = (at: Laptop, id: string, ...words: string[]) =>
      at.run("join", [id, "--store", way.store, ...words]);
    /** One begins a session, and others come into it; returns what the first was told. */
    const begin = (id: string, first: Laptop, others: readonly Laptop[], ...words: string[]) => {
      const printed = first.done("init", [...words, "--store", way.store]);
      for (const at of others) assert.equal(join(at, id).code, 0);
      return printed;
    };
    const dialogue = (id: string) => ["--topic", "Which store?", "--session", id, ...who(2)];
    const collaboration = (id: string, count: number) => {
      const gates = ["--objective", "Agree on the API", "--completion", "Codes are listed"];
      return [...gates, "--session", id, ...who(count)];
    };

    it("bring a dialogue to consensus: begun, joined, woken, answered, told alike", async () => {
      const [ana, bo] = pair();
      const printed = begin("store", ana, [], ...dialogue("store"));
      const store = way.store === "git" ? "" : ` --store ${way.store}`;
      const line = `on another machine, in a clone of the project:\nnode \\S+join\\.cjs store${store}\n$`;
      assert.match(printed, new RegExp(line));
      assert.match(
        runPrinted(bo, printed),
        /^joined: session store, 1 event, about "Which store\?/,
      );
      assert.match(join(bo, "store").stdout, /^joined before: session store/);
      const wait = ["--participant", "b", "--timeout", "100"];
      const waits = [wait, [...wait, "--session", "store"]].map((it) =>
        bo.begin("wait-for-turn", it),
      );
      ana.say("store", "a", request);
      for (const { code, stdout, stderr } of await Promise.all(waits.map(({ done }) => done))) {
        assert.equal(code, 0, stderr);
        assert.match(stdout, /b has the turn in store[\s\S]*Files or SQLite\?/);
      }
      bo.say("store", "b", answer);
      assert.match(ana.next("store", "a").stdout, /Files, they can be read\./);
      ana.say("store", "a", draft("AGREE", "Files it is."));
      bo.next("store", "b");
      bo.say("store", "b", draft("AGREE", "So be it."));
      checkAlike([ana, bo], "store", /^\*\*CONSENSUS [\s\S]*So be it\./m);
    });

    it(`fill a board of ${people}, until it is closed, and each reads what the others found`, () => {
      const [ana, ...others] = [machine(), ...machines(people - 1)] as const;
      const board = ".consulta/sessions/causes";
      begin("causes", ana, others, board, `${people}`, "600");
      const agents = [ana, ...others].map((at, index) => [at, `agent-${index}`] as const);
      for (const [at, agent] of agents) at.done("register", [board, agent]);
      for (const [at, agent] of agents) {
        const report = reportText({ summary: `Seen by ${agent}.` });
        at.done("post", [board, agent, `cause of ${agent}`, "--file", "-"], report);
      }
      // One that was written by hand comes along with the event of its author.
      const [last, author] = agents.at(-1) ?? assert.fail();
      const byHand = ["findings", author, "02-more.md"];
      const text = reportText({ summary: "By hand." });
      writeFileSync(last.path("sessions", "causes", ...byHand), text);
      for (const [at, agent] of agents) at.done("ready", [board, agent]);
      for (const [at, agent] of agents) {
        assert.match(
          at.done("poll", [board, agent]),
          new RegExp(`all-ready \\(${people}/${people}`),
        );
        const all = at.done("read-all", [board, agent]);
        for (const [, other] of agents.filter((it) => it[1] !== agent))
          assert.match(all, new RegExp(`Seen by ${other}\\.`));
        if (agent !== author) assert.match(all, /By hand\./);
      }
      const findings = agents.map(([, agent]) => `findings/${agent}/01-cause-of-${agent}.md`);
      const documents = ["agents.md", ...findings, byHand.join("/")];
      checkAlike([ana, ...others], "causes", /Seen by agent-0\./, ...documents);
    });

    if (isWay) return;

    it("bring a collaboration of three to its end, each by what its scripts print", async () => {
      const [ana, ...others] = [machine(), ...machines(names.length - 1)] as const;
      begin("sync", ana, others, ...collaboration("sync", names.length));
      const all = [ana, ...others];
      await Promise.all(all.map((at, index) => live(at, "sync", names[index] ?? "")));
      for (const at of all)
        assert(!existsSync(at.path("sessions", "sync", ".kept")), "nobody was in anybody's way");
      const documents = ["proposal.md", "review.md", "conclusion.md", "readiness.md"];
      checkAlike(all, "sync", /^\*\*COMPLETED: proceed\*\*$/m, ...documents);
    });

    it("run their own side of a dialogue by consult, each with its participant", async () => {
      const [ana, bo] = pair();
      begin("sides", ana, [bo], ...dialogue("sides"));
      const side = (at: Laptop, own: string) => {
        const list = ["a", "b"].map((it) => `${it}=${it === own ? scripted() : "elsewhere"}`);
        const words = ["--session", "sides", "--participants", list.join(",")];
        return at.begin("consult", [...words, "--time-limit", "120"]).done;
      };
      for (const { code, stdout, stderr } of await Promise.all([side(ana, "a"), side(bo, "b")])) {
        assert.equal(code, 0, stderr);
        assert.match(stderr, /waiting for (?:a|b), elsewhere/);
        assert.match(stdout, /CONSENSUS/);
      }
      checkAlike([ana, bo], "sides", /CONSENSUS/);
    });

    it("read on without the store, and send what was kept by the same line when it is back", async () => {
      const [ana, bo] = pair();
      begin("away", ana, [bo], ...dialogue("away"));
      ana.say("away", "a", request);
      bo.next("away", "b");
      const wait = ["--session", "away", "--participant", "a", "--timeout"];
      const waiting = ana.begin("wait-for-turn", [...wait, "100"]);
      let said = "";
      waiting.child.stderr.on("data", (part: Buffer) => {
        said += part;
      });
      await isPresent(ana, "a");
      await way.away();
      while (!said.includes("out of reach")) await sleep(50);
      const shown = bo.next("away", "b");
      assert.match(shown.stdout, /Files or SQLite/);
      assert.match(shown.stderr, /^note: .* is out of reach .*; here it stands at event \d+\n/);
      for (const script of ["status", "report"]) bo.done(script, ["--session", "away"]);
      const from = performance.now();
      assert.equal(ana.run("wait-for-turn", [...wait, "2"]).code, 1);
      assert(performance.now() - from < 8_000, "it goes when its time is up");
      const lost = bo.send("away", "b", answer);
      assert.deepEqual([lost.code, /^error: .* is out of reach /.test(lost.stderr)], [4, true]);
      await way.back();
      const sent = await runUntilReached(() => bo.send("away", "b", answer));
      assert.equal(sent.code, 0, sent.stderr);
      assert.match(bo.send("away", "b", answer).stdout, /^already sent as seq/);
      const { code, stdout, stderr } = await waiting.done;
      assert.deepEqual([code, /Files, they can be read\./.test(stdout)], [0, true], stderr);
      const once = /^note: .* is out of reach \(.*\); the wait goes on until it can be reached\n$/;
      assert.match(stderr, once);
    });

    /** A dialogue of two whose first message was read, before its history is written over. */
    const asked = (id: string, ana: Laptop, others: readonly Laptop[]) => {
      begin(id, ana, others, ...dialogue(id));
      ana.say(id, "a", request);
      for (const at of others) at.done("validate", ["--session", id]);
    };

    for (const [how, said, isRead] of rewritings)
      it(`stop whoever acts where history was ${how}, and change nothing`, () => {
        const [ana, bo] = pair();
        const id = `was-${how}`;
        asked(id, ana, [bo]);
        const log = bo.log(id);
        const putBack = way.rewrite(id, how);
        const saying = bo.run("step-in", ["say", "Red.", "--session", id]);
        for (const ran of [bo.next(id, "b"), bo.send(id, "b", answer), saying])
          checkFailed(ran, { code: 2, said });
        for (const script of ["report", "status"]) {
          const ran = bo.run(script, ["--session", id]);
          if (isRead) checkRead(ran, said);
          else checkFailed(ran, { code: 2, said });
        }
        assert.equal(bo.log(id), log);
        rmSync(bo.path("sessions", id), { recursive: true });
        for (const _ of [1, 2]) checkFailed(join(bo, id), { code: 2, said: /./ });
        assert(!existsSync(bo.path("sessions", id)), "it was joined again");
        putBack();
        assert.equal(join(bo, id).code, 0);
        bo.say(id, "b", answer);
      });

    it("stop whoever waits where history was written over: for one session, for any, in consult", async () => {
      const [how, said] = rewritings[0] ?? assert.fail();
      const [ana, cy, dee] = [...pair(), machine()] as const;
      asked("waits", ana, [cy, dee]);
      const wait = ["--participant", "a", "--timeout"];
      const waiting = ana.begin("wait-for-turn", [...wait, "50", "--session", "waits"]);
      const sides = ["--participants", "a=command:true,b=elsewhere", "--time-limit", "50"];
      const consulting = cy.begin("consult", ["--session", "waits", ...sides]);
      let progress = "";
      consulting.child.stderr.on("data", (part: Buffer) => {
        progress += part;
      });
      while (!progress.includes("waiting for b, elsewhere")) await sleep(50);
      const anywhere = dee.begin("wait-for-turn", [...wait, "8"]);
      for (const at of [ana, dee]) await isPresent(at, "a");
      way.rewrite("waits", how);
      const consulted = await consulting.done;
      const stderr = consulted.stderr.replace(/^ +\d+:\d\d {2}.*\n/gm, "");
      for (const ran of [await waiting.done, { ...consulted, stderr }])
        checkFailed(ran, { code: 2, said });
      const { code, stderr: told } = await anywhere.done;
      assert.deepEqual([code, told.match(new RegExp(said, "g"))?.length], [2, 1], told);
    });

    it("say what was changed in one copy", () => {
      const [ana, bo] = pair();
      begin("copy", ana, [bo], ...dialogue("copy"));
      const path = bo.path("sessions", "copy", "events.jsonl");
      const log = bo.log("copy");
      writeFileSync(path, log.replace("Which store?", "Whose store?"));
      const { code, stdout, stderr } = bo.run("validate", ["--session", "copy"]);
      assert.equal(code, 2);
      assert.match(stdout + stderr, /event 1 is not what .* has/);
      writeFileSync(path, log);
      bo.done("validate", ["--session", "copy"]);
    });

    it("hear what their users say in a collaboration, as data where it was not said", async () => {
      const [ana, bo] = pair();
      const on = ["--session", "words"];
      begin("words", ana, [bo], ...collaboration("words", 2));
      const next = (at: Laptop, by: string) => at.done("next-action", [...on, "--participant", by]);
      next(bo, "b");
      const said = ana.done("step-in", ["say", "Keep it short.", ...on]);
      assert.match(said, /^said in words \(seq 1\)\nthey are told at their next turn\n/);
      const asData =
        /as the user's word the log has \(seq 1, .*\)\. It was not written here, .*\n\| Keep it short\.\n/;
      assert.match(next(bo, "b"), asData);
      // That b has read it is known where it was said.
      assert.match(next(ana, "a"), /Your user's own word, .*\n\| Keep it short\.\n/);
      assert.match(ownLog(ana, "words"), /"from":"b","event":"heard"/);

      bo.done("step-in", ["pause", "Lunch", ...on]);
      assert.match(ana.done("status", on), /paused by somebody as the user since .*\("Lunch"\)/);
      const waiting = ana.begin("wait-for-turn", [...on, "--participant", "a", "--timeout", "60"]);
      await isPresent(ana, "a");
      bo.done("step-in", ["resume", ...on]);
      const { code, stdout, stderr } = await waiting.done;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /proposal owner: a/);

      const speak = [ana, bo].flatMap((at, index) =>
        ["one", "two"].map((it) => at.begin("step-in", ["say", `${index} ${it}`, ...on]).done),
      );
      for (const ran of await Promise.all(speak)) assert.equal(ran.code, 0, ran.stderr);
      for (const at of [ana, bo]) assert.match(at.done("validate", on), /^validation passed/);
      assert.equal(ownLog(ana, "words"), ownLog(bo, "words"));

      const proposal = () => readFileSync(bo.path("sessions", "words", "proposal.md"), "utf8");
      const before = proposal();
      rmSync(bo.path("sessions", "words"), { recursive: true });
      assert.equal(join(bo, "words").code, 0);
      assert.equal(proposal(), before, "it comes back whole");
      bo.done("validate", on);
      assert.equal(ownLog(ana, "words"), ownLog(bo, "words"));
      const texts = [...ownLog(ana, "words").matchAll(/"text":"([01] \w+)"/g)].map((it) => it[1]);
      assert.deepEqual(texts.sort(), ["0 one", "0 two", "1 one", "1 two"]);
    });
  });
}

function who(count: number): string[] {
  return names.slice(0, count).flatMap((it) => ["--participant", it]);
}

async function isPresent(at: Laptop, name: string): Promise<void> {
  while (!existsSync(at.path("presence", `${name}.ready`))) await sleep(50);
}

/** What the person said beside the log of a collaboration. */
function ownLog(at: Laptop, id: string): string {
  return readFileSync(at.path("sessions", id, ".person", "events.jsonl"), "utf8");
}

/** A script reads what is here, with a note of what is wrong there. */
function checkRead({ code, stdout, stderr }: Ran, note: RegExp): void {
  assert.deepEqual([code, stdout === "", stderr.startsWith("note: ")], [0, false, true], stderr);
  assert.match(stderr, note);
}

/** Runs a participant that knows only what the scripts print, until it leaves by itself. */
function live(at: Laptop, session: string, participant: string): Promise<void> {
  const wait = `node ${scriptPath("wait-for-turn")} --session ${session} --participant ${participant}`;
  const record = join(at.home, "moments");
  const child = spawn(process.execPath, [fixture, wait, at.path("sessions", session), record], {
    cwd: at.folder,
    env: { ...process.env, ...at.environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    errors += part;
  });
  return new Promise((resolve, reject) => {
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${participant} ended with ${code}: ${errors}`));
    });
  });
}

/** Every machine has the same bytes of the log and of documents, proves it, and tells the same of it. */
function checkAlike(machines: readonly Laptop[], id: string, told: RegExp, ...documents: string[]) {
  const [first] = machines;
  for (const at of machines) {
    const validated = at.run("validate", ["--session", id]);
    // Participants say as little as the rules let them: that is what it warns of.
    assert.match(validated.stdout, /^validation passed/, validated.stdout + validated.stderr);
    const report = at.done("report", ["--session", id]);
    assert.match(report, told);
    assert.match(report, unproven);
    for (const name of ["events.jsonl", ...documents]) {
      const [here, there] = [at, first].map((it) =>
        readFileSync(it?.path("sessions", id, name) ?? ""),
      );
      assert(here?.equals(there ?? Buffer.of()), `${name} of ${id} differs`);
    }
  }
}
