import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { type Collaboration, collaborationAt } from "../collaboration/folder.ts";
import { Project, scriptPath } from "../dialogue/project.ts";

/** Notes each file that a script opens, below the project, by what `node:fs` is asked for. */
const watch = `
const fs = require("node:fs");
const opened = [];
let logBytes = 0;
const logs = new Set();
for (const name of ["openSync", "readFileSync"]) {
  const call = fs[name];
  fs[name] = (path, ...rest) => {
    if (typeof path === "string") opened.push(path);
    const result = call(path, ...rest);
    if (String(path).endsWith("/events.jsonl")) logs.add(result);
    return result;
  };
}
const { readSync } = fs;
fs.readSync = (file, ...rest) => {
  const bytes = readSync(file, ...rest);
  if (logs.has(file)) logBytes += bytes;
  return bytes;
};
const { writeFileSync } = fs;
process.on("exit", () => writeFileSync("opened.json", JSON.stringify({ opened, logBytes })));
`;

/** What the last watched script opened, and how much it read of logs. */
function watchedIn({ folder }: Project): { opened: string[]; logBytes: number } {
  return JSON.parse(readFileSync(join(folder, "opened.json"), "utf8"));
}

const session = ["--session", "s"];
const settings = /\/\.consulta\/config\.json$/;
const log = /\/events\.jsonl$/;
const checkpoint = /\/sessions\/(s|in-turn)\/\.checkpoint\.json$/;

describe("a script opens a file once", () => {
  const project = new Project();

  before(() => {
    project.open("other");
    project.open("s", "--mode", "parallelo");
    writeFileSync(join(project.folder, "watch.cjs"), watch);
    send("claude", "REQUEST");
    send("gemini", "RESPONSE");
    project.open("in-turn");
    send("claude", "REQUEST", "in-turn");
  });

  function send(from: string, type: string, id = "s"): void {
    const message = { type, question_or_proposal: { content: `${from} says ${type}` } };
    const stand = type === "REQUEST" ? {} : { position: "Yes.", confidence: 0.5 };
    const words = ["--session", id, "--participant", from, "--message", "-"];
    const ran = project.run("append-event", words, JSON.stringify({ ...message, ...stand }));
    assert.equal(ran.code, 0, ran.stderr);
  }

  /** What a script opened, which ends with exit code `code`; nothing of the other session. */
  function opens(script: string, ...words: string[]): string[] {
    return opensUntil(0, script, ...words);
  }

  function opensUntil(code: number, script: string, ...words: string[]): string[] {
    const watched = ["--require", join(project.folder, "watch.cjs")];
    const ran = project.runNode(watched, [scriptPath(script), ...words]);
    assert.equal(ran.code, code, ran.stderr);
    const { opened: paths } = watchedIn(project);
    assert.deepEqual(
      paths.filter((path) => path.includes("/sessions/other/")),
      [],
    );
    return paths;
  }

  function counts(opened: readonly string[]) {
    const of = (file: RegExp) => opened.filter((path) => file.test(path)).length;
    return { settings: of(settings), checkpoint: of(checkpoint), log: of(log) };
  }

  const claude = [...session, "--participant", "claude"];

  it("in next-action: the log once more, for who began it", () => {
    // The first one notes that it showed the message: an append is a look of its own.
    opens("next-action", ...claude);
    const opened = opens("next-action", ...claude);
    assert.deepEqual(counts(opened), { settings: 1, checkpoint: 1, log: 2 }, opened.join("\n"));
  });

  it("in wait-for-turn: the log once for each of its looks", () => {
    const opened = opens("wait-for-turn", ...claude, "--timeout", "5");
    const { log, ...once } = counts(opened);
    assert.deepEqual(once, { settings: 1, checkpoint: 1 }, opened.join("\n"));
    assert(log <= 5, opened.join("\n"));
  });

  const early = ["--session", "in-turn", "--participant", "claude"];
  const once = { settings: 1, checkpoint: 1 };

  it("in wait-for-turn that waits in vain: what it says at its end needs no other look", () => {
    const opened = opensUntil(1, "wait-for-turn", ...early, "--timeout", "1");
    const { log: _, ...loads } = counts(opened);
    assert.deepEqual(loads, once, opened.join("\n"));
  });

  it("in append-event that rejects: what to run instead needs no other look", () => {
    const draft = { type: "RESPONSE", question_or_proposal: { content: "too early" } };
    const stand = { position: "Yes.", confidence: 0.5 };
    writeFileSync(join(project.folder, "early.json"), JSON.stringify({ ...draft, ...stand }));
    const opened = opensUntil(2, "append-event", ...early, "--message", "early.json");
    const { log: _, ...loads } = counts(opened);
    assert.deepEqual(loads, once, opened.join("\n"));
  });

  it("in append-event: the log again only to write", () => {
    const draft = {
      type: "RESPONSE",
      question_or_proposal: { content: "claude answers" },
      ...{ position: "Yes.", confidence: 0.5 },
    };
    writeFileSync(join(project.folder, "draft.json"), JSON.stringify(draft));
    const opened = opens("append-event", ...claude, "--message", "draft.json");
    const { log, ...once } = counts(opened);
    assert.deepEqual(once, { settings: 1, checkpoint: 1 }, opened.join("\n"));
    assert(log <= 2, opened.join("\n"));
  });
});

describe("of the log of a collaboration a script reads what is after the checkpoint", () => {
  /** Decided anew so often, with documents that leave stated rules unkept. */
  const longLog = (events: number) => {
    const at = collaborationAt("revised");
    at.write("review.md", at.read("review.md").replaceAll("Concerns:", "Worries:"));
    const { length } = at.events();
    const time = String(at.events().at(-1)?.["at"]);
    const lines = Array.from({ length: events - length }, (_, index) => {
      const seq = length + index + 1;
      const event = { seq, from: "a", event: "decision_proposed", at: time, summary: "Anew." };
      return `${JSON.stringify({ ...event, reply_to: seq - 1 })}\n`;
    });
    appendFileSync(at.path("events.jsonl"), lines.join(""));
    writeFileSync(join(at.project.folder, "watch.cjs"), watch);
    at.say("a", "decision_proposed");
    return at;
  };
  const read = (at: Collaboration, script: string, ...words: string[]): number => {
    const watched = ["--require", join(at.project.folder, "watch.cjs")];
    const command = [scriptPath(script), "--folder", "shared", "--participant", "a", ...words];
    const ran = at.project.runNode(watched, command);
    assert.equal(ran.code, 0, ran.stderr);
    return watchedIn(at.project).logBytes;
  };

  it("however long it is", () => {
    const [short, long] = [longLog(10), longLog(2_000)];
    const words = ["--event", "decision_proposed", "--summary", "Anew.", "--reply-to", "4"];
    for (const [script, more] of [
      ["next-action", []],
      ["append-event", words],
      ["next-action", []],
    ] as const) {
      const bytes = read(long, script, ...more);
      assert(bytes <= read(short, script, ...more) + 32_768, `${script} read ${bytes} bytes`);
    }
  });
});
