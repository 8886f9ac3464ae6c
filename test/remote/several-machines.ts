import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { bundledFixture } from "../bundled-fixture.ts";
import { scriptPath } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { makeBareRepository } from "./git-remote.ts";
import type { Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";
import type { Host } from "./network.ts";

const fixture = bundledFixture("test/collaboration/participant.fixture.ts");

/** Runs a participant that knows only what the scripts print, until it leaves by itself. */
function live(at: Laptop, session: string, participant: string): Promise<void> {
  const wait = `node ${scriptPath("wait-for-turn")} --session ${session} --participant ${participant}`;
  const folder = at.path("sessions", session);
  const child = spawn(...at.command([fixture, wait, folder]), {
    cwd: at.folder,
    env: { ...process.env, HOME: at.home },
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

/** A way that sessions go between machines, and what each user settles before. */
export interface Between extends Pick<Way, "url" | "settings" | "stop"> {
  /** As `--store` names it. */
  readonly store: string;
  settle(at: Laptop): void;
  /** Where each of the three runs; all here, if nothing is said. */
  readonly hosts?: readonly Host[];
}

/** The same over the remote that the project was cloned from. */
export async function overGit(way: Way | Promise<Way>): Promise<Between> {
  return { ...(await way), store: "git", settle: () => undefined };
}

/** A collaboration and a board of three machines, over one way between them. */
export function checkSeveralMachines(
  name: string,
  open: (host: string) => Promise<Between>,
  skip: string | false = false,
): void {
  describe(`three machines over ${name}`, { skip, timeout: 600_000 }, () => {
    let way: Between;
    let ana: Laptop;
    let bo: Laptop;
    let cy: Laptop;
    before(async () => {
      way = await open(makeBareRepository());
      [ana, bo, cy] = [0, 1, 2].map(
        (index) => new Laptop(way.url, way.settings, way.hosts?.[index]),
      ) as [Laptop, Laptop, Laptop];
      for (const at of [ana, bo, cy]) way.settle(at);
    });
    after(() => way.stop());

    it("bring a collaboration of four to its end, each by what its scripts print", async () => {
      const who = ["a", "b", "c", "d"].flatMap((it) => ["--participant", it]);
      const gates = ["--completion", "Codes are listed"];
      const words = ["--objective", "Agree on the sync API", "--session", "sync", ...gates, ...who];
      ana.done("init", [...words, "--store", way.store]);
      for (const at of [bo, cy]) at.done("join", ["sync", "--store", way.store]);
      const lives = [live(ana, "sync", "a"), live(bo, "sync", "b"), live(cy, "sync", "c")];
      await Promise.all([...lives, live(cy, "sync", "d")]);
      const machines = [ana, bo, cy];
      for (const at of machines) {
        assert.match(at.done("status", ["--session", "sync"]), /completed/);
        const validated = at.run("validate", ["--session", "sync"]);
        // Its participants say as little as the rules let them: that is what it warns of.
        assert.match(validated.stdout, /^validation passed/, validated.stdout + validated.stderr);
        assert.equal(at.log("sync"), ana.log("sync"));
        for (const document of ["proposal.md", "review.md", "conclusion.md", "readiness.md"]) {
          const [here, there] = [at, ana].map((it) => it.read("sessions", "sync", document));
          assert.equal(here, there, document);
        }
        assert(!existsSync(at.path("sessions", "sync", ".kept")), "nobody was in anybody's way");
      }
      assert.match(
        ana.read("sessions", "sync", "review.md"),
        /- b - [\s\S]*- c - |- c - [\s\S]*- b - /,
      );
    });

    it("fill a board of three, and each reads what the others found", () => {
      const board = ".consulta/sessions/causes";
      ana.done("init", [board, "3", "600", "--store", way.store]);
      for (const at of [bo, cy]) at.done("join", ["causes", "--store", way.store]);
      const machines = [ana, bo, cy].map((at, index) => [at, `agent-${index}`] as const);
      for (const [at, agent] of machines) at.done("register", [board, agent]);
      for (const [at, agent] of machines) {
        const report = reportText({ summary: `Seen by ${agent}.` });
        at.done("post", [board, agent, `cause of ${agent}`, "--file", "-"], report);
      }
      // One that was written by hand comes along with the event of its author.
      writeFileSync(
        join(cy.path("sessions", "causes", "findings", "agent-2"), "02-more.md"),
        reportText({ summary: "By hand." }),
      );
      for (const [at, agent] of machines) at.done("ready", [board, agent]);
      for (const [at, agent] of machines) {
        assert.match(at.done("poll", [board, agent]), /all-ready \(3\/3/);
        const all = at.done("read-all", [board, agent]);
        for (const [, other] of machines)
          if (other !== agent) assert.match(all, new RegExp(`Seen by ${other}\\.`));
        if (agent !== "agent-2") assert.match(all, /By hand\./);
        assert.equal(
          readFileSync(at.path("sessions", "causes", "events.jsonl"), "utf8"),
          ana.log("causes"),
        );
      }
    });
  });
}
