import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptPath } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { describeFaults, type Ground } from "./fault-sweep.ts";

/** Runs a script that must succeed. */
function done(at: Ground, script: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [scriptPath(script), ...words], {
    cwd: at.project,
    env: at.environment(),
    encoding: "utf8",
  });
  assert.equal(status, 0, `${script} ${words.join(" ")}: ${stderr}`);
}

function put(at: Ground, name: string, content: string | object): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(at.project, name), text);
}

const asClaude = ["--session", "talk", "--participant", "claude"];
const asGemini = ["--session", "talk", "--participant", "gemini"];
const answer = {
  type: "RESPONSE",
  question_or_proposal: { content: "In files: the log is one file already." },
  position: "Files.",
  confidence: 0.7,
};

/** A dialogue in which gemini has the turn and a message of claude that it has not taken. */
function talk(at: Ground): void {
  const both = ["--participant", "claude", "--participant", "gemini"];
  done(at, "init", "--topic", "Files or SQLite?", "--session", "talk", ...both);
  put(at, "ask.json", { type: "REQUEST", question_or_proposal: { content: "Files or SQLite?" } });
  put(at, "answer.json", answer);
  done(at, "append-event", ...asClaude, "--message", "ask.json");
}

/** The same, and a message that somebody without our scripts put into an inbox. */
function mail(at: Ground): void {
  talk(at);
  const stamp = "20260101T000000Z";
  const name = `talk-${stamp}-gemini-response.json`;
  const foreign = {
    ...{ id: `talk-${stamp}`, session_id: "talk", timestamp: "2026-01-01T00:00:00Z" },
    ...{ from: "gemini", to: "claude", round: 1, ...answer },
  };
  const path = join(".consulta", "inbox-claude", name);
  put(at, path, foreign);
  utimesSync(join(at.project, path), 1, 1);
}

const seats = ["--participant", "a", "--participant", "b"];
const opening = ["--folder", "work", "--objective", "Build it", ...seats, "--completion", "Done"];

function work(at: Ground): void {
  done(at, "init", ...opening);
}

function board(at: Ground): void {
  done(at, "init", "board", "2", "600");
}

/** A board on which `a` has posted and is not ready. */
function posted(at: Ground): void {
  board(at);
  for (const name of ["a", "b"]) done(at, "register", "board", name);
  put(at, "first.md", reportText());
  put(at, "second.md", reportText({ title: "Only once" }));
  done(at, "post", "board", "a", "first", "--file", "first.md");
}

const command = { make: talk };
describeFaults({
  name: "init of a dialogue",
  make: () => undefined,
  command: ["init", "--topic", "Files?", "--session", "talk", "--participant", "claude"].concat(
    "--participant",
    "gemini",
  ),
  again: [3],
});
describeFaults({
  name: "next-action",
  ...command,
  command: ["next-action", ...asGemini],
  notesOnly: true,
});
describeFaults({
  name: "append-event",
  ...command,
  command: ["append-event", ...asGemini, "--message", "answer.json"],
});
describeFaults({
  name: "next-action with foreign mail",
  make: mail,
  command: ["next-action", ...asClaude],
  // A message that cannot be read now stays in its inbox.
  notesOnly: true,
});
describeFaults({
  name: "wait-for-turn",
  ...command,
  command: ["wait-for-turn", ...asClaude, "--timeout", "0.3"],
  codes: [1, 2, 4],
});
describeFaults({ name: "status", ...command, command: ["status", "--all"] });
describeFaults({ name: "report", ...command, command: ["report", "--session", "talk"] });
describeFaults({ name: "validate", ...command, command: ["validate"], codes: [1, 2, 4] });
describeFaults({
  name: "validate --repair",
  ...command,
  command: ["validate", "--repair"],
  codes: [1, 2, 4],
});
describeFaults({
  name: "journal",
  ...command,
  command: ["journal", ...asClaude, "--positive", "Read the code.", "--notes", "None."],
  // One entry is enough: what was noted is not noted again.
  again: [2],
});
describeFaults({
  name: "profile --write",
  make(at) {
    talk(at);
    put(at, "me.md", "# Claude\n\nReads code.\n");
  },
  command: ["profile", "--participant", "claude", "--write", "me.md"],
});
describeFaults({
  name: "advise --apply",
  make(at) {
    talk(at);
    const lines = ["one", "two", "three", "four", "five"].map((it) => `- Read file ${it} first.`);
    put(at, "advice.md", `${lines.join("\n")}\n`);
  },
  command: ["advise", "--participant", "claude", "--colleague", "gemini"].concat(
    ...["--advice", "advice.md", "--apply"],
  ),
});
describeFaults({
  name: "init of a collaboration",
  make: () => undefined,
  command: ["init", ...opening],
  next: ["init", ...opening, "--resume"],
  twice: [2],
});
describeFaults({
  name: "append-event to a collaboration",
  make: work,
  command: ["append-event", "--folder", "work", "--participant", "a"].concat(
    ...["--event", "drafted", "--reply-to", "1", "--summary", "Drafted."],
  ),
  again: [2],
});
describeFaults({
  name: "next-action in a collaboration",
  make: work,
  command: ["next-action", "--folder", "work", "--participant", "a"],
});
describeFaults({
  name: "report of a collaboration",
  make: work,
  command: ["report", "--folder", "work"],
});
describeFaults({
  name: "init of a board",
  make: () => undefined,
  command: ["init", "board", "2", "600"],
  again: [3],
});
describeFaults({
  name: "register",
  make: board,
  command: ["register", "board", "a"],
  // The name may be taken though the answer was lost: the next run says so, and to go on if that was you.
  again: [1],
});
describeFaults({
  name: "post --file",
  make: posted,
  command: ["post", "board", "a", "second", "--file", "second.md"],
});
describeFaults({
  name: "post",
  make: posted,
  command: ["post", "board", "a", "second"],
  repeats: true,
});
describeFaults({ name: "ready", make: posted, command: ["ready", "board", "a"] });
describeFaults({
  name: "poll",
  make: posted,
  command: ["poll", "board", "a"],
  codes: [2, 4, 64],
});
describeFaults({ name: "read-all", make: posted, command: ["read-all", "board", "b"] });
describeFaults({
  name: "report of a board",
  make: posted,
  command: ["report", "--folder", "board"],
});
describeFaults({
  name: "hook",
  make(at) {
    talk(at);
    mkdirSync(join(at.home, ".consulta", "seats"), { recursive: true });
  },
  command: ["hook", "claude"],
  input: JSON.stringify({ hook_event_name: "Stop", session_id: "one", cwd: "." }),
  silent: true,
});
describeFaults({ name: "doctor", ...command, command: ["doctor"], codes: [1, 2, 4] });
describeFaults({
  name: "install --hooks",
  make(at) {
    mkdirSync(join(at.project, ".claude"));
    put(at, join(".claude", "settings.json"), "{}\n");
  },
  command: ["install", "--into", ".", "--hooks"],
  again: [0],
});
