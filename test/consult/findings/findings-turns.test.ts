import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { topicOfTitle } from "../../../scripts-src/consult/findings/consult-findings.ts";
import { personDriver } from "../../../scripts-src/consult/person-driver.ts";
import { post, ready, register } from "../../../scripts-src/findings/agent-acts.ts";
import { systemClock } from "../../../scripts-src/script/clock.ts";
import { validateSessions } from "../../../scripts-src/session/validate-session.ts";
import { removeFolder } from "../../scratch-folder.ts";
import { type Act, type PlayedRun, playBoard } from "../played-run.ts";
import { fencedReport, reportOn } from "../scripted-peer.ts";

const folders: string[] = [];
const [ana, eve] = [
  { name: "ana", project: "/", base: "/" },
  { name: "eve", project: "/", base: "/" },
];
after(() => {
  for (const folder of folders) removeFolder(folder);
});

async function open(...args: Parameters<typeof playBoard>): Promise<PlayedRun> {
  const run = await playBoard(...args);
  folders.push(run.folder);
  return run;
}

async function ends(run: PlayedRun): Promise<void> {
  assert.deepEqual(await run.conduct(), { kind: "ended" });
}

const says =
  (title: string): Act =>
  () =>
    fencedReport(reportOn(title));

describe("turns on a board", () => {
  it("are given to 8 at a time, one after the other, and end when all are ready", async () => {
    let [now, most] = [0, 0];
    let open8 = () => {};
    const eight = new Promise<void>((resolve) => {
      open8 = resolve;
    });
    const slow: Act = async () => {
      now += 1;
      most = Math.max(most, now);
      if (now === 8) open8();
      await eight;
      // Time for a ninth to come, if one may.
      await sleep(20);
      now -= 1;
      return fencedReport(reportOn("Same"));
    };
    const names = Array.from({ length: 11 }, (_, index) => `a${index}`);
    const run = await open(Object.fromEntries(names.map((name) => [name, slow])));
    await ends(run);
    assert.deepEqual([most, run.turns.length], [8, 11]);
    assert.match(await run.report(), /11 of 11 agents are ready[\s\S]*a0\/01-same\.md/);
    const [found] = await validateSessions([run.place]);
    assert.deepEqual([found?.errors, found?.warnings], [[], []]);
  });

  it("tell everything but what the others found", async () => {
    let told = () => {};
    const posted = new Promise<void>((resolve) => {
      told = resolve;
    });
    const run = await open({
      ana: async (turn) => {
        await post(turn.place, ana, "secret", reportOn("Secret"), systemClock);
        told();
        return "";
      },
      bob: async (_, count) => {
        await posted;
        return count === 1 ? "Nothing." : fencedReport(reportOn("Mine"));
      },
    });
    await run.conduct();
    const [first, second] = run.turnsOf("bob").map(({ prompt }) => prompt);
    assert.match(first ?? "", /You are bob on the Consulta board in \//);
    assert.match(first ?? "", /the question, as the user put it.*\n\| Why\?\n/);
    assert.match(first ?? "", /ana, bob \(you\)/);
    assert.match(first ?? "", /never an instruction/);
    assert.match(first ?? "", /````markdown\n# <.*>\n\n## Working Directories\n- `\//);
    assert.match(
      second ?? "",
      /Your last try did not count. The reason: the answer holds no report/,
    );
    for (const prompt of [first, second]) {
      assert.doesNotMatch(prompt ?? "", /secret|what the others found/i);
    }
  });

  it("post several reports of one answer in their order", async () => {
    const both = `${fencedReport(reportOn("First"))}\n${fencedReport(reportOn("Second"))}`;
    const run = await open({ ana: () => both, bob: says("Other") });
    await ends(run);
    assert.match(run.text("findings/ana/01-first.md"), /^# First\n/);
    assert.match(run.text("findings/ana/02-second.md"), /^# Second\n/);
  });

  it("say which citations lead nowhere, and count all the same", async () => {
    const run = await open({
      ana: () => fencedReport(reportOn("Cites", "See `src/gone.ts:7`.")),
      bob: says("Other"),
    });
    await ends(run);
    assert.ok(
      run.notes.some((line) => line.includes("ana cites what is not there: src/gone.ts:7")),
    );
  });
});

describe("a try that does not count on a board", () => {
  const noSummary = reportOn("T").replace("## Summary", "## Conclusion");
  const untitled = reportOn("T").replace("# T", "T");
  const tries: [answer: string, reason: string][] = [
    ["It is the clock.", "the answer holds no report; end it with one Markdown block"],
    ["", "the answer holds no report"],
    [fencedReport(reportOn("...")), "unfilled example"],
    [fencedReport(noSummary), 'the report: the section "## Summary" is missing'],
    [fencedReport(untitled), "expected a title"],
    [fencedReport(reportOn("T")).slice(0, -6), "may be cut off"],
    [fencedReport(reportOn("T", "Confirms: bob/09")), "names no finding"],
    [fencedReport(reportOn("T", "x".repeat(1_048_576))), " bytes, at most 1048576"],
    [`${fencedReport(reportOn("Right"))}\n${fencedReport(noSummary)}`, "report 2: the section"],
  ];
  for (const [answer, reason] of tries) {
    it(`is told in the next one, and nothing is posted twice: ${reason}`, async () => {
      const run = await open({
        ana: (_, count) => (count === 1 ? answer : fencedReport(reportOn("Right"))),
        bob: says("Other"),
      });
      await ends(run);
      const { fault = "" } = run.turnsOf("ana")[1] ?? {};
      assert(fault.includes(reason), fault);
      assert(existsSync(join(run.place.folder, "findings/ana/01-right.md")));
      assert(!existsSync(join(run.place.folder, "findings/ana/02-right.md")));
    });
  }

  it("is one that leaves an empty report of its own behind", async () => {
    const run = await open({
      ana: async ({ place }, count) => {
        if (count === 1) await post(place, ana, "later", undefined, systemClock);
        else rmSync(join(place.folder, "findings/ana/01-later.md"));
        return fencedReport(reportOn("Right"));
      },
      bob: says("Other"),
    });
    await ends(run);
    const [, second] = run.turnsOf("ana");
    assert.match(second?.fault ?? "", /ana is not marked ready: 01-later\.md: is empty/);
    assert.match(
      second?.prompt ?? "",
      /You have posted these already:\n- 01-later\.md\n- 02-right/,
    );
    assert.ok(!existsSync(join(run.place.folder, "findings/ana/03-right.md")));
  });
});

describe("whoever acts on a board itself", () => {
  const report = reportOn("By script");

  for (const isReady of [true, false]) {
    it(`is done when it has posted and is ${isReady ? "" : "marked "}ready`, async () => {
      const run = await open({
        ana: async ({ place }) => {
          await post(place, ana, "by script", report, systemClock);
          if (isReady) await ready(place, ana, { strict: true }, systemClock);
          return "I did it myself.";
        },
        bob: says("Other"),
      });
      await ends(run);
      assert.equal(run.turnsOf("ana").length, 1);
    });
  }

  it("is noticed when it does so by hand, and what it wrote is in the report", async () => {
    const run = await open({
      ana: ({ place }) => {
        const own = join(place.folder, "findings/ana");
        mkdirSync(own, { recursive: true });
        writeFileSync(join(own, "01-by-hand.md"), reportOn("By hand"));
        writeFileSync(join(own, ".ready"), "2026-01-01T00:00:00Z\n");
        return { failure: "it ended with exit code 1" };
      },
      bob: says("Other"),
    });
    await ends(run);
    assert.match(await run.report(), /## ana\n\n- findings\/ana\/01-by-hand\.md/);
  });

  it("is stopped when it still waits while all are ready", async () => {
    const run = await open({
      ana: async ({ place }, _, signal) => {
        await post(place, ana, "by script", report, systemClock);
        await ready(place, ana, { strict: true }, systemClock);
        while (!signal.aborted) await sleep(5);
        return "";
      },
      bob: async () => {
        await sleep(50);
        return fencedReport(reportOn("Other"));
      },
    });
    await ends(run);
  });
});

describe("a participant that cannot go on on a board", () => {
  const crash: Act = () => ({ failure: "it crashed", answer: "half a thought" });

  it("is gone on without: the others' findings are there, and its part is named", async () => {
    const run = await open({ ana: says("Found"), bob: crash, cy: says("Seen") });
    const ending = await run.conduct();
    assert.equal(ending.kind, "stopped");
    const reason = "reason" in ending ? ending.reason : "";
    assert.match(reason, /^Not complete: bob stopped answering \(it crashed\); 2 of 3/);
    assert.equal(run.turnsOf("bob").length, 2);
    const report = await run.report();
    assert.match(report, /2 of 3 agents are ready/);
    assert.match(report, /not ready: bob/);
    assert.match(report, /## bob\n\n- nothing was recorded/);
    assert.match(report, /01-found\.md[\s\S]*01-seen\.md/);
    assert.equal(run.text("unsent-bob.txt"), "half a thought");
  });

  it("may be a person who leaves", async () => {
    const driver = personDriver({ show: () => undefined, edit: async () => 1 });
    const run = await open({
      me: (turn, _, signal) => driver.takeTurn(turn, signal),
      bob: async () => {
        await sleep(50);
        return fencedReport(reportOn("Other"));
      },
    });
    const ending = await run.conduct();
    assert.match(
      "reason" in ending ? ending.reason : "",
      /^Not complete: me stopped answering \(me sent nothing: the editor ended with 1; the draft is kept in /,
    );
    assert.match(await run.report(), /1 of 2 agents[\s\S]*01-other\.md/);
  });

  it("gets its turn again in the next run, and nobody else", async () => {
    const run = await open({
      ana: says("Found"),
      bob: (_, count) => (count < 3 ? "" : fencedReport(reportOn("Late"))),
    });
    assert.equal((await run.conduct()).kind, "stopped");
    await ends(run);
    assert.deepEqual([run.turnsOf("ana").length, run.turnsOf("bob").length], [1, 3]);
  });
});

describe("a board that this run cannot complete", () => {
  it("is left open where others still work", async () => {
    const run = await open({ ana: says("Found") }, { others: ["dan"] });
    const ending = await run.conduct();
    assert.match(
      "reason" in ending ? ending.reason : "",
      /^stopped: nobody here runs dan; 1 of 2 agents/,
    );
  });

  it("is complete when the others got ready meanwhile, by hand or with a later registration", async () => {
    const run = await open(
      {
        ana: async ({ place }) => {
          appendFileSync(
            join(place.folder, "agents.md"),
            "- dan (registered: 2026-01-01T00:00:00Z)\n",
          );
          mkdirSync(join(place.folder, "findings/dan"), { recursive: true });
          writeFileSync(join(place.folder, "findings/dan/.ready"), "");
          await register(place, eve, systemClock);
          await ready(place, eve, { strict: false }, systemClock);
          return fencedReport(reportOn("Found"));
        },
      },
      { expected: 3 },
    );
    await ends(run);
  });

  it("keeps what there is when it is interrupted, and goes on", async () => {
    const stop = new AbortController();
    const run = await open({
      ana: says("Found"),
      bob: async (_, count) => {
        if (count > 1) return fencedReport(reportOn("Late"));
        await sleep(100);
        stop.abort();
        return "";
      },
    });
    assert.deepEqual(await run.conduct(60, stop.signal), {
      kind: "stopped",
      reason: "stopped: interrupted",
    });
    assert.deepEqual((await run.standing()).waitingFor, ["bob"]);
    await ends(run);
    assert.equal(run.turnsOf("ana").length, 1);
  });
});

it("sends the reports of a person's file, and opens it again after a fault", async () => {
  const clock = reportOn("It is the clock");
  const disk = reportOn("Or the disk").replace(/(## Summary\n).*/, "$1It may be\n\nthe disk.");
  const saved = [
    fencedReport(clock.replace(/(## Working Directories\n).*/, "$1- said in words")),
    `${fencedReport(clock)}\n${fencedReport(disk)}`,
  ];
  const edit = async (path: string) => {
    writeFileSync(path, saved.shift() ?? "");
    return 0;
  };
  const driver = personDriver({ show: () => undefined, edit });
  const run = await open({
    me: (turn, _, signal) => driver.takeTurn(turn, signal),
    bob: says("Other"),
  });
  await ends(run);
  assert.match(run.turnsOf("me")[1]?.fault ?? "", /"said in words" is no path/);
  assert.ok(existsSync(join(run.place.folder, "findings/me/01-it-is-the-clock.md")));
  assert.match(run.text("findings/me/02-or-the-disk.md"), /It may be\n\nthe disk\.\n/);
});

describe("the topic of a report", () => {
  const topics: [title: string, topic: string][] = [
    ["A blank line ends the import", "a blank line ends the import"],
    ["`src/a.ts:12` -- na\u00efve, isn't it?", "src a ts 12 naive isn t it"],
    [`${"word ".repeat(30)}end`, "word word word word word word word word word word word word"],
    ["x".repeat(200), "x".repeat(60)],
    ["\u0420\u0430\u0437\u0431\u043e\u0440", "finding"],
    ["", "finding"],
  ];
  for (const [title, topic] of topics) {
    it(`of ${JSON.stringify(title.slice(0, 40))} can name a file`, () => {
      assert.equal(topicOfTitle(title), topic);
    });
  }
});
