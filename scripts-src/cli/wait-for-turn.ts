import { ConsultaError } from "../core/errors.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import {
  jsonOption,
  participantOf,
  participantOption,
  workspaceMade,
  workspaceOption,
} from "../host/context.ts";
import { runScript } from "../host/run-script.ts";
import { followInbox, waitForTurn } from "../host/wait-for-turn.ts";

const spec: ScriptSpec = {
  name: "wait-for-turn",
  summary:
    "Block until you have the turn or the session has ended, then print what next-action prints.",
  options: [
    { flags: "--session <id>", text: "the session (default: any in which you get the turn)" },
    participantOption,
    {
      flags: "--timeout <seconds>",
      text: "0 waits without limit (default: message_timeout_seconds)",
    },
    { flags: "--follow", text: "print NEW:<file> for every message and go on, for a Monitor tool" },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "Mail that came before the wait began is announced at once. While it waits, your colleague sees",
    "you as present. Exit 1 means the time is up: run the same command again.",
  ],
};

runScript(spec, async (args) => {
  const workspace = await workspaceMade(args);
  const participant = participantOf(args);
  const timeoutMs = timeoutOf(
    args,
    args.has("follow") ? 0 : workspace.config.message_timeout_seconds,
  );
  if (args.has("follow")) return followInbox(args, workspace, participant, timeoutMs);
  return waitForTurn(args, workspace, participant, timeoutMs);
});

function timeoutOf(args: Arguments, fallback: number): number | undefined {
  const given = args.one("timeout");
  const seconds = given === undefined ? fallback : Number(given);
  if (given?.trim() === "" || !Number.isFinite(seconds) || seconds < 0) {
    throw new ConsultaError("REFUSED", `--timeout is ${given}, expected seconds, 0 or more`);
  }
  return seconds === 0 ? undefined : seconds * 1_000;
}
