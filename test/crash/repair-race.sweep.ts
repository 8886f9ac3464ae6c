import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { collaborationAt } from "../collaboration/folder.ts";
import { scriptPath } from "../dialogue/project.ts";

const writers = Number(process.env["CONSULTA_WRITERS"] ?? "64");
const repairs = 5;
/** What a writer hears of an event that stands in the log, also while its settings are gone. */
const saysStored = /^(?:appended |error: )seq (\d+)(?:: question_classified| is stored, but)/gm;

/** A shell that appends until a file `stop` stands or its test has ended, and keeps what was acknowledged. */
const loop = `
  n=0
  while [ ! -e stop ] && kill -0 "$PPID" 2>/dev/null; do
    n=$((n + 1))
    "$NODE" "$APPEND" --folder shared --participant a --event question_classified \\
      --doc readiness.md --reply-to "$ANSWERED" --summary "Writer $WRITER, $n." >>"told.$WRITER" 2>>"errors.$WRITER"
  done`;

it(`validate --repair ends while ${writers} real writers go on`, { timeout: 300_000 }, async () => {
  const at = collaborationAt("classified");
  const { folder } = at.project;
  const shells = Array.from({ length: writers }, (_, writer) => {
    const child = spawn("sh", ["-c", loop], {
      cwd: folder,
      env: {
        ...process.env,
        CLAUDECODE: undefined,
        NODE: process.execPath,
        APPEND: scriptPath("append-event"),
        ANSWERED: String(at.seq),
        WRITER: String(writer),
      },
    });
    return new Promise((resolve) => child.on("close", resolve));
  });
  try {
    for (let count = 0; count < repairs; count += 1) {
      rmSync(at.path("protocol.json"));
      const ran = await at.start("validate", ["--repair"]).done;
      assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    }
  } finally {
    writeFileSync(join(folder, "stop"), "");
    await Promise.all(shells);
  }
  const told = readdirSync(folder)
    .filter((name) => /^(told|errors)\.\d+$/.test(name))
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(saysStored)])
    .map(([, seq]) => Number(seq))
    .sort((a, b) => a - b);
  assert.ok(told.length > repairs, `${told.length} said to be stored`);
  const stored = at.events().filter(({ summary }) => String(summary).startsWith("Writer "));
  assert.deepEqual(
    told,
    stored.map(({ seq }) => seq),
  );
  assert.equal(at.run("validate").code, 0);
});
