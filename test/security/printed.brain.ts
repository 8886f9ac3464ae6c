/** What somebody stored in the brain, printed by its commands. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, it } from "node:test";
import { readEndpoint } from "../../scripts-src/brain/endpoint.ts";
import { copyScripts } from "../consult/copy-scripts.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import {
  checkPrinted,
  hostileName,
  hostileText,
  hostileWord,
  showsWords,
} from "./hostile-words.ts";

const folder = makeScratchFolder();
const project = join(folder, "project");
mkdirSync(join(project, ".consulta"), { recursive: true });
const scripts = await copyScripts();
after(() => {
  const pid = readEndpoint(join(project, ".consulta", "brain"))?.pid;
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  removeFolder(folder);
  removeFolder(dirname(scripts));
});

function brain(args: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(scripts, "brain.cjs"), ...args],
    {
      cwd: project,
      env: { PATH: dirname(process.execPath), HOME: folder },
      input,
      encoding: "utf8",
    },
  );
  return { code: status, stdout, stderr };
}

/** What looks like a fence of the brain itself is not stored at all. */
const storable = hostileText.replaceAll("[brain ", "[brawn ");

it("is shown behind bars or on one line, as text and as JSON", () => {
  const key = hostileName.slice(0, 100).toWellFormed();
  const stored = [
    brain(["store", "plain", "-", "--source", hostileName.slice(0, 60).toWellFormed()], storable),
    brain(["store", key, "-"], storable),
    brain(["store", hostileWord, hostileWord]),
    brain(["event", "-", "--source", "EVIL"], storable),
  ];
  for (const ran of stored) checkPrinted("brain store", ran);
  assert.equal(stored[0]?.code, 0, stored[0]?.stderr);
  for (const args of [
    ["retrieve", "plain"],
    ["retrieve", key],
    ["retrieve", "--query", "EVIL"],
    ["list"],
    ["export"],
    ["status"],
    ["retrieve", hostileWord],
    ["forget", hostileWord],
    ["search", hostileWord],
  ]) {
    const ran = brain(args);
    checkPrinted(`brain ${args.join(" ")}`, ran);
    if (args[1] === "plain" || args[0] === "list") assert(showsWords(ran), args.join(" "));
    if (args[0] !== "export") checkPrinted("brain --json", brain([...args, "--json"]));
  }
});
