import { join } from "node:path";
import type { CliProcess } from "../clis/cli-process.ts";
import {
  handoverPath,
  makeRegistryFolder,
  registryFolder,
  registryName,
} from "../clis/cli-registry.ts";
import { cliFacts, type HookedCli, type Moment } from "../clis/hook-entries.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { orNothing } from "../files/disk.ts";
import { discard } from "../files/safe-open.ts";
import { inboxPath, unreadFiles } from "../session/inbox/mailbox.ts";
import { personLogName } from "../session/session.ts";
import type { HookCall } from "./hook-call.ts";
import type { RolesFound } from "./roles.ts";

/** While what is so an event needs its hook though no file has changed. */
type Reason = "always" | "a brain listens" | "it takes part" | "another window takes part";

const loudWhile: Readonly<Partial<Record<Moment, readonly Reason[]>>> = {
  start: ["always"],
  "silent start": ["always"],
  compacted: ["always"],
  prompt: ["a brain listens", "another window takes part"],
  stop: ["a brain listens", "another window takes part", "it takes part"],
  summary: ["a brain listens"],
  end: ["a brain listens", "it takes part"],
};

/** What a file says of when it was changed, and the clock of who wrote it, may be off by so much. */
const slackMs = 1_000;

/**
 * Hangs the bell of a CLI's process, for `bell.sh`: what this hook has looked at rings from the moment at which the
 * hook began. To be called last: whatever was to be told has been told. Where it cannot be written, each event starts
 * its hook.
 */
export function hangBell(call: HookCall, found: RolesFound): void {
  const { cli, home, process: running, workspace, memory, startedIn } = call;
  // Where there is no workspace, or none that may be used, no file would tell of one.
  if (running === undefined || workspace === undefined || !found.isWhole) {
    takeBellDown(call);
    return;
  }
  const isSo: Readonly<Record<Reason, boolean>> = {
    always: true,
    "a brain listens": memory?.listens(workspace) === true,
    "it takes part": found.takesPart,
    "another window takes part": found.hasRival,
  };
  const files = [
    join(registryFolder(home), `${registryName(running)}.json`),
    ...(running.conversation ? [handoverPath(workspace.root, running.conversation)] : []),
    ...found.folders.flatMap((folder) => [
      join(folder, "events.jsonl"),
      join(folder, personLogName, "events.jsonl"),
    ]),
    ...found.roles.flatMap(({ participant }) => {
      const inbox = inboxPath(workspace, participant);
      // One that is still being written waits there.
      return [inbox, ...unreadFiles(workspace, participant).map((name) => join(inbox, name))];
    }),
    ...[join(workspace.root, "config.json"), join(workspace.root, "sessions")],
    ...(memory?.files(workspace.root) ?? []),
  ];
  const lines = [startedIn, quietEvents(cli, isSo).join(" "), ...files];
  // Its lines would not be those that were written.
  if (lines.some((line) => line.includes("\n"))) {
    takeBellDown(call);
    return;
  }
  const changedMs = performance.timeOrigin - slackMs;
  orNothing(() => {
    makeRegistryFolder(home);
    writeFileAtomically(bellOf(home, running), `${lines.join("\n")}\n`, {
      sync: "nothing",
      changedMs,
    });
  });
}

/** From here on each event of the CLI's process starts its hook, until one hangs the bell again. */
export function takeBellDown(call: HookCall): void {
  if (call.process !== undefined) discard(bellOf(call.home, call.process));
}

function bellOf(home: string, running: CliProcess): string {
  return join(registryFolder(home), `${registryName(running)}.bell`);
}

function quietEvents(cli: HookedCli, isSo: Readonly<Record<Reason, boolean>>): string[] {
  const quiet = cliFacts[cli].events.filter(({ is }) => !loudWhile[is]?.some((it) => isSo[it]));
  return quiet.map(({ event }) => event);
}
