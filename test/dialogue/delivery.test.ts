import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../scripts-src/base/json.ts";
import { note } from "../../scripts-src/dialogue/delivery.ts";
import { dialogue as protocol } from "../../scripts-src/dialogue/dialogue.ts";
import { eventFaults } from "../../scripts-src/dialogue/event-faults.ts";
import { evolve } from "../../scripts-src/dialogue/fold.ts";
import type { DialogueState } from "../../scripts-src/dialogue/state.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { noteDelivery } from "../../scripts-src/session/append.ts";
import { openSession } from "../../scripts-src/session/open.ts";
import { placeIn } from "../../scripts-src/session/place.ts";
import { findWorkspace } from "../../scripts-src/session/workspace/workspace.ts";
import { scripted } from "../consult/scripted-line.ts";
import { removeFolder } from "../scratch-folder.ts";
import { asked, gemini, timeOf } from "./given.ts";
import { draft, Project, recordOf } from "./project.ts";

const made: Project[] = [];
after(() => {
  for (const { folder } of made) removeFolder(folder);
});

/** A session `talk` in which claude has asked: message 2 awaits gemini. */
function makeTalk(...args: string[]): Project {
  const project = new Project();
  made.push(project);
  project.open("talk", ...args);
  project.say("talk", "claude", draft("REQUEST", "SQLite or files?"));
  return project;
}

/** The notes of deliveries in a log: `in_turn gemini 2 next-action`. */
function notesIn(project: Project): string[] {
  return project
    .events("talk")
    .filter(({ event }) => event === "rung" || event === "in_turn")
    .map(({ event, from, messages, by }) => `${event} ${from} ${messages} ${by}`);
}

function report(project: Project): string {
  const { code, stdout, stderr } = project.run("report", ["--session", "talk", "--delivery"]);
  assert.equal(code, 0, stderr);
  return `${stdout.slice(stdout.indexOf("## Delivery"))}\n`;
}

function status(project: Project): string {
  return project.run("status", []).stdout;
}

function checkValid(project: Project): void {
  const { code, stdout } = project.run("validate", []);
  assert.deepEqual([code, stdout], [0, "validation passed (1 session)\n"]);
}

/** Looks again and again until something is so, for a minute. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (isSo()) return;
    await sleep(50);
  }
  assert.fail("it never came to that");
}

function configure(project: Project, settings: Record<string, number>): void {
  const path = project.path("config.json");
  const given = recordOf(project.read("config.json"));
  writeFileSync(path, JSON.stringify({ ...given, ...settings }));
}

describe("a message", () => {
  it("is stored, seen once its reader was shown it, answered when there is an answer", () => {
    const project = makeTalk();
    const stored =
      /your message 2 to your peer: stored \d+ s ago, not notified: nobody listens for your peer/;
    assert.match(project.next("talk", "claude").stdout, stored);
    assert.match(
      status(project),
      /\n {2}message 2 from claude to gemini: stored \d+ s ago, not notified: nobody listens for gemini\n/,
    );
    assert.deepEqual(notesIn(project), []);

    for (let time = 1; time <= 2; time += 1) {
      assert.match(project.next("talk", "gemini").stdout, /content: SQLite or files\?/);
      assert.deepEqual(notesIn(project), ["in_turn gemini 2 next-action"]);
    }
    const inTurn = /your message 2 to your peer: seen \d+ s ago, no answer yet/;
    assert.match(project.next("talk", "claude").stdout, inTurn);
    assert.match(status(project), /message 2 from claude to gemini: seen \d+ s ago/);

    project.say("talk", "gemini", draft("RESPONSE", "Files."));
    assert.doesNotMatch(project.next("talk", "claude").stdout, /your message/);
    assert.deepEqual(notesIn(project), [
      "in_turn gemini 2 next-action",
      "in_turn claude 4 next-action",
    ]);
    assert.match(
      report(project),
      /^## Delivery\n\n- message 2, claude REQUEST to gemini: stored \d{4}-\d\d-\d\dT[\d:]{8}Z, seen \+[\d.]+ s \(next-action\), answered \+[\d.]+ s \(message 4\)\n- message 4, gemini RESPONSE to claude: stored \S+, seen \+[\d.]+ s \(next-action\)\n\n$/,
    );
    checkValid(project);
  });

  it("tells programs its state", () => {
    const project = makeTalk();
    const [sent] = list(project.guidance("talk", "claude")["sent"]);
    assert.deepEqual(
      [sent?.["seq"], sent?.["to"], sent?.["state"], sent?.["isAwaited"]],
      [2, "gemini", "stored", false],
    );
    project.guidance("talk", "gemini");
    const [session] = list(recordOf(project.run("status", ["--json"]).stdout)["sessions"]);
    assert.deepEqual(
      list(session?.["sent"]).map(({ seq, state }) => [seq, state]),
      [[2, "in turn"]],
    );
  });

  it("is rung by a watcher that follows the inbox, once, and no other waits are disturbed", async () => {
    const project = makeTalk();
    const follow = ["--participant", "gemini", "--follow"];
    const watcher = project.start("wait-for-turn", follow, "");
    const wait = ["--session", "talk", "--participant", "claude", "--timeout", "30"];
    const waiter = project.start("wait-for-turn", wait, "");
    await until(() => notesIn(project).length > 0);
    assert.deepEqual(notesIn(project), ["rung gemini 2 follow"]);
    assert.match(
      project.next("talk", "claude").stdout,
      /your message 2 to your peer: notified [\d.]+ s ago by wait-for-turn --follow, not seen yet/,
    );
    assert.match(project.next("talk", "gemini").stdout, /YOUR TURN/);
    watcher.child.kill("SIGTERM");
    const followed = await watcher.done;
    assert.match(
      followed.stdout,
      /^WATCHER:STARTED:gemini:\d+\nNEW:talk-\d{8}T\d{6}Z-claude-request\.json\n$/,
    );
    assert.equal(followed.stderr, "");

    // A second watcher announces nothing that has been read; a Monitor tool is told how to go on.
    const again = await project.start("wait-for-turn", [...follow, "--timeout", "0.3"], "").done;
    const line = String.raw`node \S+wait-for-turn.cjs --follow --timeout 0.3 --participant gemini --again 2`;
    assert.match(again.stdout, new RegExp(`^WATCHER:STARTED:gemini:\\d+\\nAGAIN:${line}\\n$`));
    assert.deepEqual(notesIn(project), ["rung gemini 2 follow", "in_turn gemini 2 next-action"]);
    assert.equal(waiter.child.exitCode, null, "a note has woken the sender");
    project.say("talk", "gemini", draft("RESPONSE", "Files."));
    const woken = await waiter.done;
    assert.match(woken.stdout, /^ready: claude has the turn in talk\n/);
    assert.deepEqual(notesIn(project).slice(2), ["in_turn claude 5 wait-for-turn"]);
    checkValid(project);
  });

  it("is not noted by a watcher that knows an inbox and no session", async () => {
    const project = makeTalk();
    const args = ["--inbox", ".consulta/inbox-gemini", "--timeout", "0.3"];
    const found = await project.start("wait-for-turn", args, "").done;
    assert.match(found.stdout, /^talk-\S+-claude-request\.json\n$/);
    await project.start("wait-for-turn", [...args, "--follow"], "").done;
    assert.deepEqual(notesIn(project), []);
  });

  it("is not in turn where nobody reads what was printed, and a watcher without a reader ends", async () => {
    const project = makeTalk();
    const reader = ["--session", "talk", "--participant", "gemini"];
    for (const [script, more] of [
      ["next-action", []],
      ["next-action", ["--json"]],
      ["wait-for-turn", []],
    ] as const) {
      const { child, done } = project.start(script, [...reader, ...more], "");
      child.stdout.destroy();
      assert.deepEqual([(await done).code, (await done).stderr], [0, ""]);
    }
    const follow = project.start("wait-for-turn", ["--participant", "claude", "--follow"], "");
    await until(() => project.files("presence").includes("claude.ready"));
    follow.child.stdout.destroy();
    project.say("talk", "gemini", draft("RESPONSE", "Files."));
    const tooLong = setTimeout(() => follow.child.kill("SIGKILL"), 8_000);
    assert.deepEqual([(await follow.done).code, (await follow.done).stderr], [0, ""]);
    clearTimeout(tooLong);
    assert.deepEqual(notesIn(project), []);
    assert.match(project.next("talk", "gemini").stdout, /your message 3 to claude: stored/);
  });

  it("is shown where the note cannot be written, and stays unread for its sender", () => {
    const project = makeTalk();
    const args = ["--session", "talk", "--participant", "gemini"];
    const { code, stdout, stderr } = project.runOnFullDisk("next-action", args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /content: SQLite or files\?/);
    assert.match(stderr, /^warning: the peer is not told how far its message came: .*EFBIG.*\n$/);
    assert.deepEqual(notesIn(project), []);
    project.next("talk", "gemini");
    assert.deepEqual(notesIn(project), ["in_turn gemini 2 next-action"]);
  });

  it("leaves nothing of a note to a participant's own choice", () => {
    const project = makeTalk();
    const args = ["--session", "talk", "--participant", "gemini", "--event", "in_turn"];
    assert.equal(project.run("append-event", args).code, 2);
    assert.deepEqual(notesIn(project), []);
  });

  it("that closes the session, sent again, brings the solution that its writer did not live to write", () => {
    const project = makeTalk();
    project.say("talk", "gemini", draft("AGREE", "Files it is."));
    project.say("talk", "claude", draft("AGREE", "Yes."));
    const solution = project.path("artifacts", "talk", "merged-solution.md");
    const text = readFileSync(solution, "utf8");
    rmSync(solution);
    const told = () => project.run("report", ["--session", "talk"]).stdout;
    assert.match(told(), /^- CHANGED SINCE: artifacts\/talk\/merged-solution\.md is missing$/m);
    const again = project.send("talk", "claude", draft("AGREE", "Yes."));
    assert.match(again.stdout, /^already sent as seq /);
    assert.equal(readFileSync(solution, "utf8"), text);
    assert.doesNotMatch(told(), /CHANGED SINCE/);
  });
});

describe("what a bell does not know", () => {
  it("a note that is asked for twice is entered once", async () => {
    const project = makeTalk();
    const session = await openSession(placeIn(findWorkspace(project.folder), "talk"));
    const rung = await noteDelivery(session, "gemini", "rung", "hook", systemClock);
    assert.equal(rung.cursor.seq, 3);
    const again = await noteDelivery(rung, "gemini", "rung", "hook", systemClock);
    assert.equal(again, rung);
    // Taken from before the first note: it reads on and finds nothing to enter.
    assert.equal(
      (await noteDelivery(session, "gemini", "rung", "hook", systemClock)).cursor.seq,
      3,
    );
    assert.equal(
      (await noteDelivery(session, "claude", "rung", "hook", systemClock)).cursor.seq,
      2,
    );
    assert.equal(
      (await noteDelivery(session, "nobody", "rung", "hook", systemClock)).cursor.seq,
      2,
    );
    assert.deepEqual(notesIn(project), ["rung gemini 2 hook"]);
    assert.match(
      project.next("talk", "claude").stdout,
      /your message 2 to your peer: notified [\d.]+ s ago by a hook, not seen yet/,
    );
  });

  it("what came after it looked is not noted", async () => {
    const project = makeTalk("--mode", "parallelo");
    const session = await openSession(placeIn(findWorkspace(project.folder), "talk"));
    project.say("talk", "claude", draft("EVALUATE", "And another thing."));
    await noteDelivery(session, "gemini", "in_turn", "hook", systemClock);
    assert.deepEqual(notesIn(project), ["in_turn gemini 2 hook"]);
    project.next("talk", "gemini");
    assert.deepEqual(notesIn(project).slice(1), ["in_turn gemini 3 next-action"]);
  });
});

describe("logs without notes", () => {
  it("of a colleague that works by hand show what its answers tell", () => {
    const project = makeTalk();
    project.put(
      "claude",
      "talk-20300101T000000Z-gemini-response.json",
      JSON.stringify({
        id: "talk-1",
        session_id: "talk",
        timestamp: "2030-01-01T00:00:00Z",
        from: "gemini",
        to: "claude",
        type: "RESPONSE",
        round: 1,
        expects_reply: true,
        question_or_proposal: { type: "proposal", content: "Files." },
      }),
    );
    assert.match(project.next("talk", "claude").stdout, /content: Files\./);
    assert.deepEqual(notesIn(project), ["in_turn claude 3 next-action"]);
    assert.match(
      report(project),
      /- message 2, claude REQUEST to gemini: stored \S+, answered \+[\d.]+ s \(message 3\)\n/,
    );
  });
});

describe("sealed positions", () => {
  it("are on their way to nobody before both are in, and no note leaks them", () => {
    const project = makeTalk("--mode", "competitiva");
    const secret = "My secret position.";
    project.next("talk", "gemini");
    project.say("talk", "claude", draft("RESPONSE", secret));
    const looks = ["claude", "gemini"].map((name) => project.next("talk", name).stdout);
    const shown = [
      ...looks,
      status(project),
      report(project),
      JSON.stringify(project.events("talk")),
    ];
    for (const text of shown) assert(!text.includes(secret), text);
    assert.doesNotMatch(`${looks.join("")}${status(project)}${report(project)}`, /message 4|- 4\./);
    assert.deepEqual(notesIn(project), ["in_turn gemini 2 next-action"]);

    project.say("talk", "gemini", draft("RESPONSE", "Mine."));
    assert.match(project.next("talk", "gemini").stdout, /your message 5 to claude: stored/);
    assert.match(project.next("talk", "claude").stdout, /content: Mine\./);
    assert.deepEqual(notesIn(project).slice(1), [
      "in_turn gemini 4 next-action",
      "in_turn claude 5 next-action",
    ]);
    assert.match(
      report(project),
      /- message 2, .*answered \+[\d.]+ s \(message 5\)\n- message 4, claude RESPONSE to gemini: stored/,
    );
    checkValid(project);
  });
});

describe("an escalation by a rule", () => {
  it("comes with the message that caused it, and both reach their reader by one note", () => {
    const project = makeTalk();
    // The first answer accepts a position: five rounds without progress follow.
    for (let round = 1; round <= 6; round += 1) {
      project.say("talk", "gemini", draft("RESPONSE", `Nothing new, ${round}.`));
      if (round < 6) project.say("talk", "claude", draft("EVALUATE", `Nor here, ${round}.`));
    }
    assert.match(project.next("talk", "claude").stdout, /ENDED/);
    project.next("talk", "gemini");
    const notes = ["in_turn claude 13 next-action", "in_turn gemini 13 next-action"];
    assert.deepEqual(notesIn(project), notes);
    for (const about of ["gemini RESPONSE to claude", "consulta ESCALATE to claude"])
      assert.match(report(project), new RegExp(`- message 13, ${about}: stored .*, seen`));
    assert.match(report(project), /- message 13, consulta ESCALATE to gemini: stored .*, seen/);
    checkValid(project);
  });
});

describe("a message past its time", () => {
  it("is announced to its sender with what it can do, read or not", async () => {
    const project = makeTalk();
    configure(project, { message_timeout_seconds: 0.2 });
    await sleep(700);
    const ways =
      /^OVERDUE \(more than 0\.2 s\): your message 2 to gemini: stored \d+ s ago, not notified: nobody listens for gemini\. Wait on, send ESCALATE, ask the user to open gemini's CLI here or to type "listen" in it, or run the session headless: node \S+consult\.cjs --session talk$/m;
    assert.match(project.next("talk", "claude").stdout, ways);
    assert.match(status(project), /\n {2}OVERDUE: message 2 from claude to gemini: stored/);

    // Read just now: its time to answer begins.
    configure(project, { message_timeout_seconds: 20 });
    project.next("talk", "gemini");
    assert.doesNotMatch(project.next("talk", "claude").stdout, /OVERDUE/);
    configure(project, { message_timeout_seconds: 0.2 });
    await sleep(700);
    assert.match(
      project.next("talk", "claude").stdout,
      /^OVERDUE .*your message 2 to gemini: seen \d+ s ago, no answer yet\. Wait on/m,
    );
    const wait = ["--session", "talk", "--participant", "claude", "--timeout", "0.2"];
    const { code, stderr } = await project.start("wait-for-turn", wait, "").done;
    assert.equal(code, 1);
    assert.match(stderr, /^timeout: claude has no turn yet in talk .*\nOVERDUE .*seen \d+ s ago/);
    // 0 is without limit.
    configure(project, { message_timeout_seconds: 0 });
    assert.doesNotMatch(project.next("talk", "claude").stdout, /OVERDUE/);
  });
});

describe("a dead waiter", () => {
  const died =
    /gemini's waiter died \(pid gone, last heartbeat [\d.]+ s ago\): nothing wakes it; ask the user to open its CLI or to type "listen" in it, or run the session headless: node \S+consult\.cjs --session talk\n/;

  it("is told to whoever waits for it, until it comes back", async () => {
    const project = new Project();
    made.push(project);
    project.open("talk");
    const wait = ["--session", "talk", "--participant", "gemini", "--timeout", "60"];
    const waiter = project.start("wait-for-turn", wait, "");
    await until(() => project.files().includes("presence") && project.files("presence").length > 0);
    assert.doesNotMatch(project.next("talk", "claude").stdout, /died/);
    waiter.child.kill("SIGKILL");
    await waiter.done;
    assert.match(project.next("talk", "claude").stdout, died);
    assert.match(status(project), died);
    project.say("talk", "claude", draft("REQUEST", "Which?"));
    const ours = ["--session", "talk", "--participant", "claude", "--timeout", "0.2"];
    for (const args of [ours, ours.slice(2)]) {
      const { stderr } = await project.start("wait-for-turn", args, "").done;
      assert.match(stderr, died);
      assert.match(stderr, /\nyour message 2 to your peer: stored/);
    }
    project.next("talk", "gemini");
    assert.doesNotMatch(project.next("talk", "claude").stdout, /died/);
    assert.doesNotMatch(status(project), /died/);
  });

  it("on another machine is known by its heartbeat", () => {
    const project = new Project();
    made.push(project);
    project.open("talk");
    project.run("wait-for-turn", ["--participant", "claude", "--timeout", "0.1"]);
    const path = join(project.path(), "presence", "gemini.ready");
    writeFileSync(path, JSON.stringify({ agent: "gemini", pid: 1, host: "elsewhere" }));
    assert.doesNotMatch(project.next("talk", "claude").stdout, /died/);
    const then = Date.now() / 1_000 - 240;
    utimesSync(path, then, then);
    assert.match(
      project.next("talk", "claude").stdout,
      /gemini's waiter died \(last heartbeat 4 min ago\)/,
    );
  });
});

describe("consult", () => {
  it("tells live how each message comes on", () => {
    const project = new Project();
    made.push(project);
    const { code, stderr } = project.run("consult", [
      ...["--participants", `ada=${scripted()},bob=${scripted()}`],
      ...["--verbose", "--mode", "turns", "SQLite or files?"],
    ]);
    assert.equal(code, 0, stderr);
    const at = [
      "bob has the turn",
      "message 2 to bob: notified (consult)",
      "message 2 to bob: seen (consult)",
      "bob: RESPONSE to ada (message 5;",
      "message 2 to bob: answered (message 5)",
    ].map((text) => stderr.indexOf(text));
    assert(
      at.every((place) => place >= 0),
      stderr,
    );
    assert.deepEqual(
      at,
      [...at].sort((one, other) => one - other),
    );
  });

  it("notes a message as only notified by a turn that fails", () => {
    const project = makeTalk();
    writeFileSync(join(project.folder, "turn.sh"), "cat >/dev/null; exit 3");
    const who = "claude=command:true,gemini=command:sh turn.sh";
    project.run("consult", ["--session", "talk", "--participants", who, "--turns-max", "1"]);
    assert.deepEqual(notesIn(project), ["rung gemini 2 consult"]);
    checkValid(project);
  });
});

describe("the state", () => {
  const open = asked();
  const rung = noteOf(open.state, "gemini", "rung", [2]);
  const inTurn = noteOf(open.state, "gemini", "in_turn", [2]);

  it("changes by a note in nothing that rules look at", () => {
    for (const event of [rung, inTurn]) {
      const after = evolve(open.state, event);
      assert.deepEqual(withoutNotes(after), withoutNotes(open.state));
      assert.deepEqual(protocol.standing(after).lastAt, protocol.standing(open.state).lastAt);
    }
  });

  it("takes the same draft for a repetition, whatever was noted in between", () => {
    const answer = gemini("RESPONSE", { says: "Files." });
    const said = asked([answer]);
    const noted = evolve(said.state, noteOf(said.state, "claude", "in_turn", [3]));
    const submission = { origin: "script", fields: { message: answer.message } } as const;
    const about = { participant: "gemini", at: timeOf(9), id: "e9", files: new Map() };
    assert.deepEqual(protocol.decide(noted, { ...submission, ...about }), { ok: true, already: 3 });
  });

  it("enters no stage twice, none backward, nothing for others and nothing answered", () => {
    const after = (event: LogEvent) => evolve(open.state, event);
    const given = { by: "hook", at: timeOf(9), id: "e9", messages: [2] };
    const gem = { ...given, participant: "gemini" };
    assert.equal(note(after(rung), { ...gem, stage: "rung" }), undefined);
    assert.equal(note(after(inTurn), { ...gem, stage: "rung" }), undefined);
    assert.equal(note(after(inTurn), { ...gem, stage: "in_turn" }), undefined);
    assert(note(after(rung), { ...gem, stage: "in_turn" }) !== undefined);
    assert.equal(note(open.state, { ...given, participant: "claude", stage: "rung" }), undefined);
    const answered = asked([gemini("RESPONSE")]).state;
    assert.equal(note(answered, { ...gem, stage: "in_turn" }), undefined);
  });

  const faults: [what: string, state: DialogueState, change: Partial<LogEvent>, reason: RegExp][] =
    [
      ["a stranger's", open.state, { from: "mallory" }, /mallory is not a participant/],
      ["the sender's", open.state, { from: "claude" }, /names 2, which did not await/],
      ["an empty", open.state, { messages: [] }, /names no message/],
      ["an unknown message's", open.state, { messages: [2, 9] }, /names 9, which/],
      ["a doubled", open.state, { messages: [2, 2] }, /names 2, which/],
      [
        "an endless",
        open.state,
        { messages: Array.from({ length: 180_000 }, (_, index) => index + 10) },
        /^in_turn names 10, 11, 12, 13, 14 and 179995 more, which did not await .{1,30}$/,
      ],
      ["a second", evolve(open.state, inTurn), { seq: 4 }, /names 2, which/],
      ["an early", open.state, { at: "2020-01-01T00:00:00.000Z" }, /earlier than the event before/],
    ];
  for (const [what, state, change, reason] of faults) {
    it(`is not misled by ${what} note, which validate tells of`, () => {
      const event: LogEvent = { ...inTurn, ...change };
      assert.match(eventFaults(state, event).join(), reason);
      assert.doesNotThrow(() => evolve(state, event));
    });
  }

  it("refuses a log whose notes cannot be read", () => {
    for (const change of [{ messages: "2" }, { messages: ["2"] }, { by: 7 }, { by: "a b" }]) {
      const event: LogEvent = { ...inTurn, ...change };
      assert.throws(() => evolve(open.state, event), /is not a dialogue event: "in_turn"/);
    }
  });
});

function noteOf(
  state: DialogueState,
  participant: string,
  stage: "rung" | "in_turn",
  messages: number[],
): LogEvent {
  const at = timeOf(state.seq + 1);
  const event = note(state, { participant, stage, messages, by: "hook", at, id: "n1" });
  assert(event, "there is nothing to note");
  return event;
}

/** A state without what a note may change. */
function withoutNotes({ seq: _seq, lastAt: _lastAt, sides, ...rest }: DialogueState) {
  const plain = Object.entries(sides).map(([name, { readAt: _readAt, unanswered, ...side }]) => ({
    ...side,
    name,
    unanswered: unanswered.map(({ rung: _rung, inTurn: _inTurn, ...mail }) => mail),
  }));
  return { ...rest, plain };
}

function list(value: unknown): Record<string, unknown>[] {
  assert(Array.isArray(value));
  return value.filter(isRecord);
}
