import { exitCodes } from "../core/errors.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { readHookCall } from "../host/read-hook-call.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "hook",
  summary:
    "Answer a hook of Claude Code or Gemini CLI: keep its agent awake while a session wants it.",
  positionals: ["[cli]"],
  startsAnywhere: true,
  options: [],
  notes: [
    "CLI is claude or gemini (default: whose plugin or extension this is), the event JSON on standard",
    "input. install --hooks sets it up.",
    "Stop and AfterAgent wait until the agent has the turn in a session in which this CLI ran a script,",
    "at most hook_wait_seconds of config.json. A failure never disturbs the CLI: the reason is kept in",
    ".consulta/errors/hook.txt.",
  ],
  // Exit code 2 of a hook means something to the CLIs; an error must not say it.
  ownExitCodes: [
    {
      exit: 2,
      failures: [],
      advice: "Claude Code: wakes the model, which reads standard error",
    },
    { exit: 64, failures: ["USAGE", "REFUSED"], advice: "wrong usage: hook claude or hook gemini" },
  ],
};

runScript(spec, async (args) => {
  const call = await readHookCall(args.positionals[0] ?? packagedFor());
  if (call === undefined) return exitCodes.OK;
  const { answerHook } = await import("../host/answer-hook.ts");
  return answerHook(call);
});

/** The plugin and the extension share a file of hooks; Claude Code tells those of a plugin its place. */
function packagedFor(): string {
  return process.env["CLAUDE_PLUGIN_ROOT"] === undefined ? "gemini" : "claude";
}
