import { exitCodes } from "../base/errors.ts";
import { brainForHooks } from "../brain/brain-for-hooks.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { runInProject } from "../session/run-in-project.ts";
import { answerHook } from "../wake/answer-hook.ts";
import { readHookCall } from "../wake/hook-call.ts";

const spec: ScriptSpec = {
  name: "hook",
  summary:
    "Answer a hook of a CLI, or its plugin: wake its agent for a session, feed it from the brain.",
  positionals: ["<cli>"],
  startsAnywhere: true,
  options: [],
  notes: [
    "CLI is claude, gemini, codex or opencode, the event JSON on standard input. install --hooks sets it up.",
    "Stop, AfterAgent and session.idle wait until the agent has the turn in a session in which this CLI ran a script,",
    "at most hook_wait_seconds of config.json; Stop in a window also for news of the project's brain, which",
    "is told what happens, and asked what belongs into the context now. A failure never disturbs the CLI: the",
    "reason is kept in .consulta/errors/hook.txt. bell.sh, beside it, runs first and ends where nothing is to do.",
  ],
  // Exit code 2 of a hook means something to the CLIs; an error must not say it.
  ownExitCodes: [
    {
      exit: 2,
      failures: [],
      advice: "Claude Code: wakes the model, which reads standard error",
    },
    {
      exit: 64,
      failures: ["USAGE", "REFUSED"],
      advice: "wrong usage: hook claude, gemini, codex or opencode",
    },
  ],
};

runInProject(spec, async (args) => {
  const call = await readHookCall(args.positionals[0] ?? "", {
    memory: brainForHooks,
  });
  return call === undefined ? exitCodes.OK : answerHook(call);
});
