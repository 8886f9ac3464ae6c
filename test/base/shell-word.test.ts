import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { shellWord } from "../../scripts-src/base/quote-text.ts";

const skip = process.platform === "win32" && "needs a POSIX shell";
const words = [
  "plain-1.md",
  "",
  "a b",
  "it's",
  "$(touch ran)",
  "`x`",
  "\\",
  "a\nb\tc",
  "\u001b[2J\u202e",
];

for (const word of words) {
  it(`a shell reads ${JSON.stringify(word)} back as it was`, { skip }, () => {
    const { stdout } = spawnSync("bash", ["-c", `printf %s ${shellWord(word)}`], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    assert.equal(stdout, word);
  });
}
