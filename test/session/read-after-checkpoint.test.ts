import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Collaboration, collaborationAt } from "../collaboration/folder.ts";
import { type Project, scriptPath } from "../dialogue/project.ts";

/** Notes how much a script reads of logs, by what `node:fs` is asked for. */
const watch = `
const fs = require("node:fs");
let logBytes = 0;
const logs = new Set();
for (const name of ["openSync", "readFileSync"]) {
  const call = fs[name];
  fs[name] = (path, ...rest) => {
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
process.on("exit", () => writeFileSync("opened.json", JSON.stringify({ logBytes })));
`;

/** How much the last watched script read of logs. */
function watchedIn({ folder }: Project): { logBytes: number } {
  return JSON.parse(readFileSync(join(folder, "opened.json"), "utf8"));
}

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
