import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
// A disk that fails once while a brain starts: afterwards the brain knows what it knew.
import { openStore } from "../../scripts-src/brain/store/brain-store.ts";
import { makeUserKey, readUserKey } from "../../scripts-src/files/user-key.ts";
import { describeFaults, type Ground } from "../crash/fault-sweep.ts";
import { draft, fill, time } from "./given.ts";

const folderOf = ({ project }: Ground) => join(project, ".consulta", "brain");

/** A brain that knows something; its log of changes is still there when it was killed. */
async function knowing(at: Ground, killed: boolean): Promise<void> {
  const owner = { key: makeUserKey(at.home), adopts: false };
  const folder = join(at.home, "made");
  const store = await openStore(folder, owner);
  fill(store, 200);
  store.memories.store(draft("deploy", "make ship"), time(1));
  if (!killed) store.close();
  mkdirSync(folderOf(at), { mode: 0o700 });
  for (const name of readdirSync(folder)) {
    if (!name.endsWith("-shm")) {
      cpSync(join(folder, name), join(folderOf(at), name), { recursive: true });
    }
  }
  if (killed) store.close();
}

async function stillKnows(at: Ground): Promise<void> {
  const key = readUserKey(at.home);
  assert(key !== undefined, "the key is gone");
  const names = readdirSync(folderOf(at));
  const aside = names.filter((name) => /^brain\.(?:damaged|foreign)/.test(name));
  assert.deepEqual(aside, [], "a healthy database was moved aside");
  const store = await openStore(folderOf(at), { key, adopts: false });
  assert.equal(store.memories.retrieve("deploy")?.value, "make ship");
  assert.equal(store.memories.list("", 1_000).length, 201);
  store.close();
}

for (const killed of [false, true]) {
  describeFaults({
    name: `brain serve${killed ? ", after a brain that was killed" : ""}`,
    make: (at) => knowing(at, killed),
    command: ["brain", "serve", "--idle-minutes", "0.001"],
    stretch: 60,
    holds: stillKnows,
  });
}
