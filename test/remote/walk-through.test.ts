import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { codeCache } from "../code-cache.ts";
import { root, textOf } from "../readme/documents.ts";
import { makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

/** The steps of the page, in order: on whose laptop, and what is typed there. */
function steps(): { who: string; typed: string }[] {
  const blocks = textOf("docs/machines.md").matchAll(
    /^ {3}```bash\n {3}# (Ana|Bo)\n([\s\S]*?)^ {3}```/gm,
  );
  return [...blocks].map(([, who = "", typed = ""]) => ({
    who,
    typed: typed.replace(/^ {3}/gm, ""),
  }));
}

function type(at: Laptop, typed: string): Promise<string> {
  const child = spawn("bash", ["-ec", typed], {
    cwd: at.folder,
    env: {
      PATH: `${join(process.execPath, "..")}:/usr/bin:/bin`,
      HOME: at.home,
      XDG_CACHE_HOME: codeCache,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => {
      printed += part;
    });
  return new Promise((resolve) => {
    child.on("close", (code) => {
      assert.equal(code, 0, `${typed}\n${printed}`);
      resolve(printed);
    });
  });
}

it("two laptops follow docs/machines.md word by word", { timeout: 120_000 }, async () => {
  const host = makeBareRepository();
  const laptops = { Ana: new Laptop(host), Bo: new Laptop(host) };
  for (const { home } of Object.values(laptops)) symlinkSync(root, join(home, "consulta"));
  const printed: string[] = [];
  for (const { who, typed } of steps())
    printed.push(await type(who === "Ana" ? laptops.Ana : laptops.Bo, typed));
  assert.equal(printed.length, 6);
  const [opened, joined, asked, waited, ...ends] = printed;
  assert.match(
    opened ?? "",
    /on another machine, in a clone of the project:\nnode .*join\.cjs settings\n/,
  );
  assert.match(joined ?? "", /^joined: session settings, 1 event/);
  assert.match(asked ?? "", /^appended seq 2/);
  assert.match(
    waited ?? "",
    /ready: bo has the turn in settings[\s\S]*Files or SQLite for the settings\?/,
  );
  for (const end of ends)
    assert.match(end, /settings: dialogue, talking, turn: bo[\s\S]*validation passed/);
  assert.equal(laptops.Bo.log("settings"), laptops.Ana.log("settings"));
});
