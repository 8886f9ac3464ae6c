import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readUserSettings } from "../../../scripts-src/brain/server/user-settings.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";

const folder = makeScratchFolder();
after(() => removeFolder(folder));
const path = join(folder, ".consulta", "config.yaml");
mkdirSync(join(folder, ".consulta"), { mode: 0o700 });

function read(text: string) {
  writeFileSync(path, text);
  return readUserSettings({ HOME: folder });
}

const usual = {
  delegate: undefined,
  delegateTimeoutMs: 120_000,
  chunkBytes: 2_000_000,
  thresholds: { memory_full: 90, hallucination_risk: 95 },
};

describe("the user's settings of the brain", () => {
  it("are the usual ones where there is no file, or nothing in it about the brain", async () => {
    assert.deepEqual(await readUserSettings({ HOME: join(folder, "elsewhere") }), usual);
    for (const text of ["", "# nothing\n", "drivers: {}\n", "brain:\n"])
      assert.deepEqual(await read(text), usual);
  });

  it("name a delegate as a list of words, a time, a size and thresholds", async () => {
    const text =
      "drivers: {mine: {command: x}}\nbrain:\n  delegate: [claude, -p, --output-format, json]\n  timeout_seconds: 30\n  chunk_bytes: 5000\n  thresholds: {memory_full: 80}\n";
    assert.deepEqual(await read(text), {
      delegate: ["claude", "-p", "--output-format", "json"],
      delegateTimeoutMs: 30_000,
      chunkBytes: 5_000,
      thresholds: { memory_full: 80, hallucination_risk: 95 },
    });
    assert.deepEqual((await read("brain: {delegate: []}")).delegate, []);
  });

  const wrong: [text: string, reason: RegExp][] = [
    // A shell would have to read it.
    ["brain: {delegate: gemini -p x}", /brain\.delegate is "gemini -p x", expected a list/],
    ["brain: {delegat: [x]}", /brain\.delegat is not a field \(did you mean delegate\?\)/],
    ["brain: {timeout_seconds: 0}", /brain\.timeout_seconds is 0/],
    ["brain: {thresholds: {memory_full: 96}}", /memory_full has to be below .*risk \(95\)/],
    ["brein: {}\n", /config\.yaml: brein is not a field \(did you mean brain\?\)/],
    ["- brain\n", /expected names with values/],
    ["brain: [", /neither JSON nor YAML/],
    ["a: &x [y]\nbrain: {delegate: *x}", /aliases/],
  ];
  it("are refused where a setting would have no effect", async () => {
    for (const [text, reason] of wrong)
      await assert.rejects(read(text), hasCode("REFUSED", reason));
  });

  it("are refused where others might have written them: they name a program", async () => {
    await read("brain: {delegate: [x]}");
    chmodSync(path, 0o622);
    const refused = (reason: RegExp) =>
      assert.rejects(readUserSettings({ HOME: folder }), hasCode("REFUSED", reason));
    await refused(/config\.yaml may be written by others \(mode 622\).*chmod go-w/);
    chmodSync(path, 0o600);
    chmodSync(join(folder, ".consulta"), 0o777);
    await refused(/\.consulta may be written by others/);
    chmodSync(join(folder, ".consulta"), 0o700);
    renameSync(path, join(folder, "elsewhere.yaml"));
    symlinkSync(join(folder, "elsewhere.yaml"), path);
    await refused(/config\.yaml is a link/);
  });
});
