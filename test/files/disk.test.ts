import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";

const sources = join(import.meta.dirname, "..", "..", "scripts-src");

/** What works on no file of a workspace or home, or tells its failures itself. */
const exceptions = [
  "brain/server/delegate.ts",
  "clis/find-program.ts",
  "clis/is-running.ts",
  "consult/audit.ts",
  "consult/process-driver.ts",
  "consult/replay/play-recording.ts",
  "evidence/git-state.ts",
  "evidence/run-command.ts",
  "script/launch.ts",
  "script/output.ts",
  "script/read-input.ts",
];
/** They open nothing, or are called within what tells a failure of the disk. */
const harmless = /^(?:constants|type \w+|fstatSync|fchmodSync|ftruncateSync|createReadStream)$/;

it("only files/ and log/ call node:fs: it tells every failure of a disk in one line", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".ts") && !/^(?:files|log)\//.test(name));
  const others = files.filter((name) => {
    const text = readFileSync(join(sources, name), "utf8");
    const [, names] = /^import (?!type )([^;]*) from "node:fs(?:\/promises)?";/m.exec(text) ?? [];
    const called = names?.replace(/[{}]/g, "").split(",") ?? [];
    return called.map((it) => it.trim()).some((it) => it !== "" && !harmless.test(it));
  });
  assert.deepEqual(others.sort(), exceptions);
});
