import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { draft, scriptPath } from "../dialogue/project.ts";
import {
  checkQuiet,
  longNames,
  onClaude,
  request,
  response,
  turnIn,
  until,
  waiting,
} from "./fake-cli.ts";

const [start, prompt] = ["SessionStart", "UserPromptSubmit"];

describe("the SessionStart hook of Claude Code", { concurrency: 3 }, () => {
  onClaude("says where each stands, what to do and run", async (machine, claude) => {
    const gemini = await machine.start("gemini");
    await claude.say("talk", request);
    await claude.open("asked");
    await claude.say("asked", request);
    const asked = { type: "question", content: "Which?", specific_questions: ["How many?"] };
    await gemini.say("asked", draft("CLARIFY", "", { question_or_proposal: asked }));
    const text = await claude.told(start, { fields: { source: "clear" } });
    const lines = text
      .split("\n")
      .map((line) => line.replace(/node \S+\//, "node ").replace(/\d+ to do/, "N to do"));
    assert.deepEqual(lines, [
      "Consulta: open sessions in which you take part:",
      "session asked (dialogue): your turn, N to do. Run: node next-action.cjs --session asked --participant claude",
      "session talk (dialogue): waiting for your peer. Run: node next-action.cjs --session talk --participant claude",
    ]);
    await checkQuiet(claude, prompt);
  });

  onClaude(
    "leaves out what another living window plays, not a dead one",
    async (machine, claude) => {
      const later = await machine.start("claude");
      for (const event of [start, prompt]) await checkQuiet(later, event);
      await claude.ended();
      assert.match(await later.told(start), /session talk/);
    },
  );

  onClaude("knows the names of a window before it", async (machine, claude) => {
    const who = ["--participant", "alice", "--participant", "bob"];
    await claude.run("init", ["--topic", "Names", "--session", "names", ...who]);
    await claude.next("names", "alice");
    const about = ["--objective", "Agree", "--completion", "Listed"];
    await claude.run("init", [...about, ...who, "--folder", "docs/api"]);
    await claude.run("next-action", ["--folder", "docs/api", "--participant", "alice"]);
    await claude.ended();
    const text = await (await machine.start("claude")).told(start);
    assert.match(text, /session names .* --session names --participant alice\n/);
    assert.match(
      text,
      /the session in docs\/api \(collaboration\): your turn.* --folder docs\/api --participant alice/,
    );
  });

  onClaude("takes over from a window before when it is resumed", async (machine, claude) => {
    await claude.say("talk", request);
    await claude.ended();
    const anew = await machine.start("claude");
    await anew.hook(start, { fields: { source: "startup" } });
    await checkQuiet(anew, "Stop");
    const resumed = await machine.start("claude");
    const text = await resumed.told(start, { fields: { source: "resume" } });
    assert.match(text, /session talk .*waiting for your peer/);
    const hook = await waiting(machine, resumed);
    await (await machine.start("gemini")).say("talk", response);
    assert.match((await hook.done).stderr, turnIn("talk"));
    assert.equal(machine.failure(), "");
  });

  onClaude("tells of rejected mail, as the next prompt does", async (machine, claude) => {
    machine.project.put("claude", "talk-20300101T000000Z-gemini-request.json", "[]");
    assert.match(
      await claude.told(start),
      /^Consulta: mail for claude was rejected .*\nConsulta: open sessions/,
    );
    machine.project.put("claude", "talk-20300101T000001Z-gemini-request.json", "[]");
    assert.match(
      await claude.told(prompt),
      /^Consulta: mail for claude was rejected \(1\) [^\n]+$/,
    );
  });

  onClaude("goes by CONSULTA_PARTICIPANT", async (machine, claude) => {
    await claude.ended();
    const named = await machine.start("claude", { CONSULTA_PARTICIPANT: "gemini" });
    assert.match(
      await named.told(start),
      /session talk .*waiting for your peer.* --participant gemini/,
    );
  });
});

describe("the UserPromptSubmit hook of Claude Code", { concurrency: 3 }, () => {
  onClaude("announces once what its window has not seen", async (machine, claude) => {
    const gemini = await machine.start("gemini");
    await checkQuiet(claude, prompt);
    await claude.say("talk", request);
    await checkQuiet(claude, prompt);
    await gemini.say("talk", response);
    assert.match(await claude.told(prompt), turnIn("talk"));
    await checkQuiet(claude, prompt);
    await claude.say("talk", draft("EVALUATE", "Why files?"));
    await gemini.say("talk", draft("RESPONSE", "They last."));
    await claude.next("talk");
    await checkQuiet(claude, prompt);
  });

  onClaude(
    "announces at the next prompt what was only counted, and notes no more than it said",
    async (machine, claude) => {
      const gemini = await machine.start("gemini");
      const ids = longNames(7);
      for (const id of ids) {
        await gemini.open(id);
        await gemini.say(id, request);
      }
      const rung = () =>
        ids.filter((id) => machine.project.events(id).some(({ event }) => event === "rung"));
      const told: string[] = [];
      while (told.length < ids.length) {
        const text = await claude.told(prompt);
        assert(text.split("\n").length <= 15 && text.length <= 1_500, text);
        const news = ids.filter((id) => text.includes(`session ${id}.`));
        assert(news.length > 0);
        told.push(...news);
        const rest = /^and (\d+) more: node \S+\/status\.cjs$/m.exec(text)?.[1] ?? 0;
        assert.equal(Number(rest), ids.length - told.length);
        assert.deepEqual(rung(), told.toSorted());
      }
      await checkQuiet(claude, prompt);
    },
    { max_concurrent_sessions: 8 },
  );

  onClaude("says again what nobody read", async (machine, claude) => {
    const gemini = await machine.start("gemini");
    await claude.say("talk", request);
    await gemini.say("talk", response);
    const hook = `"${process.execPath}" "${scriptPath("hook")}" claude`;
    // The reader is gone before the hook starts.
    const words = ["-c", `{ sleep 0.3; ${hook}; } | true`];
    await claude.hook(prompt, { command: "sh", words });
    assert(!machine.project.events("talk").some(({ event }) => event === "rung"));
    assert.match(await claude.told(prompt), /talk/);
  });
});

describe("a run of consult", () => {
  onClaude("keeps windows from being woken for its participants", async (machine, claude) => {
    const slow = `command:sh -c 'sleep 1; exit 1'`;
    const words = ["--session", "talk", "--participants", `claude=${slow},gemini=${slow}`];
    // The user starts it: below a CLI a `command:` is rejected.
    const consult = claude.start({
      words: [scriptPath("consult"), ...words],
      mark: {},
      input: "",
    });
    const seats = join(machine.home, ".consulta", "seats");
    const count = () => readdirSync(seats).filter((name) => /^\d+\.json$/.test(name)).length;
    await until("consult is registered", () => count() === 2);
    await checkQuiet(claude, "Stop");
    await checkQuiet(await machine.start("claude"), start);
    await consult.done;
    assert.equal(count(), 1);
    assert.equal((await claude.hook("Stop")).code, 2);
  });
});
