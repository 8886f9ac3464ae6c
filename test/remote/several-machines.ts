import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { bundledFixture } from "../bundled-fixture.ts";
import { draft, scriptPath } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { makeBareRepository } from "./git-remote.ts";
import type { Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";

const fixture = bundledFixture("test/collaboration/participant.fixture.ts");
/** Each takes part on a machine of their own. */
const names = ["a", "b", "c", "d"];
/** What a report says where nothing is signed. */
const unproven = /who wrote what is not authenticated/;

/** A way that sessions go between machines, and what each user settles before. */
export interface Between extends Pick<Way, "url" | "settings" | "stop"> {
  /** As `--store` names it. */
  readonly store: string;
  settle(at: Laptop): void;
  /** What their environment has beside ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The same over the remote that the project was cloned from. */
export async function overGit(way: Way | Promise<Way>): Promise<Between> {
  return { ...(await way), store: "git", settle: () => undefined };
}

/** A dialogue, a collaboration and a board of machines, over one way between them, each to its end. */
export function checkSeveralMachines(
  name: string,
  open: (host: string) => Promise<Between>,
  skip: string | false = false,
): void {
  describe(`four machines over ${name}`, { skip, timeout: 900_000 }, () => {
    let way: Between;
    let machines: Laptop[];
    before(async () => {
      way = await open(makeBareRepository());
      machines = names.map(() => new Laptop(way.url, way.settings, way.environment));
      for (const at of machines) way.settle(at);
    });
    after(() => way?.stop());

    const begin = (id: string, ...words: string[]) => {
      const [first, ...others] = machines;
      first?.done("init", [...words, "--store", way.store]);
      for (const at of others) at.done("join", [id, "--store", way.store]);
    };

    it("bring a dialogue to consensus, each woken by what the other says", async () => {
      const who = ["--participant", "a", "--participant", "b"];
      begin("store", "--topic", "Which store?", "--session", "store", ...who);
      const [ana, bo] = machines;
      const open = draft("REQUEST", "Files or SQLite?", { position: undefined });
      const answer = draft("RESPONSE", "Files, they can be read.");
      const heard = await Promise.all([
        talk(ana, "a", [open, draft("AGREE", "Files it is.")]),
        talk(bo, "b", [answer, draft("AGREE", "So be it.")]),
      ]);
      assert.match(heard[0].join(), /Files, they can be read\./);
      assert.match(heard[1].join(), /Files or SQLite\?[\s\S]*Files it is\./);
      for (const at of machines) {
        const report = at.done("report", ["--session", "store"]);
        assert.match(report, /^\*\*CONSENSUS [\s\S]*So be it\./m);
        assert.match(report, unproven);
      }
      checkAlike(machines, "store");
    });

    it("bring a collaboration of four to its end, each by what its scripts print", async () => {
      const who = names.flatMap((it) => ["--participant", it]);
      const gates = ["--completion", "Codes are listed"];
      begin("sync", "--objective", "Agree on the sync API", "--session", "sync", ...gates, ...who);
      const lives = machines.map((at, index) => live(at, "sync", names[index] ?? ""));
      await Promise.all(lives);
      for (const at of machines) {
        const report = at.done("report", ["--session", "sync"]);
        assert.match(report, /^\*\*COMPLETED: proceed\*\*$/m);
        assert.match(report, unproven);
        assert(!existsSync(at.path("sessions", "sync", ".kept")), "nobody was in anybody's way");
      }
      checkAlike(machines, "sync", "proposal.md", "review.md", "conclusion.md", "readiness.md");
    });

    it("fill a board of three, until it is closed, and each reads what the others found", () => {
      const board = ".consulta/sessions/causes";
      begin("causes", board, "3", "600");
      const agents = machines.slice(0, 3).map((at, index) => [at, `agent-${index}`] as const);
      for (const [at, agent] of agents) at.done("register", [board, agent]);
      for (const [at, agent] of agents) {
        const report = reportText({ summary: `Seen by ${agent}.` });
        at.done("post", [board, agent, `cause of ${agent}`, "--file", "-"], report);
      }
      // One that was written by hand comes along with the event of its author.
      const [, , cy] = machines;
      writeFileSync(
        cy?.path("sessions", "causes", "findings", "agent-2", "02-more.md") ?? "",
        reportText({ summary: "By hand." }),
      );
      for (const [at, agent] of agents) at.done("ready", [board, agent]);
      for (const [at, agent] of agents) {
        assert.match(at.done("poll", [board, agent]), /all-ready \(3\/3/);
        const all = at.done("read-all", [board, agent]);
        for (const [, other] of agents)
          if (other !== agent) assert.match(all, new RegExp(`Seen by ${other}\\.`));
        if (agent !== "agent-2") assert.match(all, /By hand\./);
      }
      const findings = agents.map(([, agent]) => `findings/${agent}/01-cause-of-${agent}.md`);
      for (const at of machines) {
        const report = at.done("report", ["--session", "causes"]);
        assert.match(report, /Seen by agent-0\./);
        assert.match(report, unproven);
      }
      checkAlike(machines, "causes", "agents.md", ...findings, "findings/agent-2/02-more.md");
    });
  });
}

/** Says something whenever it is one's turn; gives what was shown at each. */
async function talk(
  at: Laptop | undefined,
  name: string,
  messages: readonly JsonObject[],
): Promise<string[]> {
  const who = ["--session", "store", "--participant", name];
  const heard: string[] = [];
  for (const message of messages) {
    const waited = await at?.begin("wait-for-turn", [...who, "--timeout", "300"]).done;
    assert.equal(waited?.code, 0, waited?.stderr);
    heard.push(waited?.stdout ?? "");
    at?.say("store", name, message);
  }
  return heard;
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

/** Every machine has the same bytes of the log and of documents, and proves it. */
function checkAlike(machines: readonly Laptop[], id: string, ...documents: string[]): void {
  const [first] = machines;
  for (const at of machines) {
    const validated = at.run("validate", ["--session", id]);
    // Participants say as little as the rules let them: that is what it warns of.
    assert.match(validated.stdout, /^validation passed/, validated.stdout + validated.stderr);
    for (const name of ["events.jsonl", ...documents]) {
      const [here, there] = [at, first].map((it) =>
        readFileSync(it?.path("sessions", id, name) ?? ""),
      );
      assert(here?.equals(there ?? Buffer.of()), `${name} of ${id} differs`);
    }
  }
}
