import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventLog } from "../../scripts-src/log/event-log.ts";
import { GitStore } from "../../scripts-src/remote/git/git-store.ts";
import { Git } from "../../scripts-src/remote/git/run-git.ts";
import { RemoteEventLog } from "../../scripts-src/remote/remote-event-log.ts";
import type { Gate } from "../../scripts-src/remote/remote-store.ts";
import { PlacedDocuments } from "../../scripts-src/remote/synced-documents.ts";
import { makeScratchFolder } from "../scratch-folder.ts";

/** A bare repository, as a host keeps one. */
export function makeBareRepository(): string {
  const folder = join(makeScratchFolder(), "host.git");
  git(".", "init", "--quiet", "--bare", folder);
  git(folder, "config", "http.receivepack", "true");
  return folder;
}

export function git(folder: string, ...words: readonly string[]): string {
  return gitWith(folder, "", ...words);
}

export function gitWith(
  folder: string,
  input: string | Uint8Array,
  ...words: readonly string[]
): string {
  const who = ["-c", "user.name=mallory", "-c", "user.email=m@localhost"];
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const printed = execFileSync("git", ["-C", folder, ...who, ...words], {
    input,
    stdio: [...stdio],
  });
  return printed.toString().trim();
}

/** A hook of the host, as a line of a shell. */
export function setHook(host: string, name: string, line: string): void {
  const path = join(host, "hooks", name);
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

/** Logs of no kind of session: what a store does by itself is all that is looked at. */
export const gate: Gate = async () => undefined;

export const sessionRef = "refs/consulta/talk";

/** One machine's view of the session `talk`: a folder with the copy, and a repository of its own. */
export interface Machine {
  readonly home: string;
  readonly folder: string;
  readonly repository: string;
  /** Where texts were kept that a peer's took the place of. */
  readonly kept: string[];
  /** Under which other ref the host took the session. */
  readonly refs: string[];
  open(): RemoteEventLog;
  store(): GitStore;
}

export function makeMachine(url: string): Machine {
  const home = makeScratchFolder();
  mkdirSync(join(home, "copy"));
  git(".", "init", "--quiet", "--bare", "--template=", join(home, "repository.git"));
  return machineIn(home, url);
}

/** The same for a process of its own. */
export function machineIn(home: string, url: string): Machine {
  const folder = join(home, "copy");
  const repository = join(home, "repository.git");
  const kept: string[] = [];
  const refs: string[] = [];
  const store = () =>
    new GitStore({
      git: new Git({ folder: repository, repository, projects: [] }),
      ...{ fetchUrl: url, pushUrl: url, remote: "origin", ref: refs.at(-1) ?? sessionRef },
      isSigned: false,
      gate,
      signatures: () => assert.fail("nothing is signed"),
      onRef: (ref) => refs.push(ref),
      onSigned: () => assert.fail("nothing is signed"),
    });
  const open = () => {
    const places = {
      folder,
      list: join(home, "documents.json"),
      onKept: (_: string, keptAs: string) => kept.push(keptAs),
    };
    const documents = new PlacedDocuments(places);
    const where = `${refs.at(-1) ?? sessionRef} on origin`;
    const parts = { folder, where, open: async () => store(), watchFile: join(home, "watch.json") };
    return new RemoteEventLog({ ...parts, gate, documents });
  };
  return { home, folder, repository, kept, refs, open, store };
}

/**
 * A log that fetches before each look, as the scripts do when one of them begins. Each machine has
 * checkpoints of its own: these are those of `home`.
 */
export function fetching(log: RemoteEventLog, home = log): EventLog {
  const fetched = Object.create(log);
  fetched.start = log.start;
  const names = ["append", "at", "before"] as const;
  for (const name of names) fetched[name] = log[name].bind(log);
  fetched.loadCheckpoint = () => home.loadCheckpoint();
  fetched.saveCheckpoint = home.saveCheckpoint.bind(home);
  fetched.read = async (after: Parameters<EventLog["read"]>[0]) => {
    await log.fetch();
    return log.read(after);
  };
  fetched.watch = log.watch.bind(log);
  return fetched;
}
