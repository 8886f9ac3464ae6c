import { exitCodes } from "../base/errors.ts";
import { brainOptions, runBrainCommand } from "../brain/client/brain-commands.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { runInProject } from "../session/run-in-project.ts";
import { common } from "../session/session-options.ts";

const spec: ScriptSpec = {
  name: "brain",
  summary: "The project's memory, shared by all CLIs: keep, find and digest; or serve it.",
  positionals: ["<command>", "[first]", "[second]"],
  dashWords: true,
  waits: true,
  ownExitCodes: [
    { exit: 1, failures: [], advice: "not there: retrieve found no such memory" },
    {
      exit: exitCodes.UNAVAILABLE,
      failures: ["UNAVAILABLE"],
      advice:
        "unavailable: no Node with SQLite, no delegate, disk full, busy; do what the error says",
    },
    { exit: 130, failures: [], advice: "serve was stopped by a signal" },
  ],
  options: [...brainOptions, common.workspace, common.json],
  notes: [
    "brain store KEY VALUE         keep something (- reads standard input)",
    "brain store KEY --file FILE   keep the text of a file",
    "brain retrieve KEY            print it",
    "brain retrieve --query WORDS  find what fits, best first",
    "brain list [PREFIX]           the keys in order, each with how its value begins",
    "brain forget KEY              remove without a trace (* any characters, ? one)",
    "brain forget --text WORDS     remove whatever holds these words",
    "brain process FILE            have the delegate digest a file (- as above)",
    "brain search QUESTION         have the delegate search the web",
    "brain event TEXT              tell the next session that asks, or with --session ID that one",
    "brain suggest TEXT            suggest an action; nobody executes it by itself",
    "brain export                  all memories, one JSON text a line",
    "brain import FILE             take such lines over; the newer state stays",
    "brain status                  sessions, usage, alerts, what was put where",
    "brain serve                   run it here; other commands start it by themselves",
    "",
    "The delegate is a headless CLI, named in ~/.consulta/config.yaml below brain: delegate.",
  ],
};

runInProject(spec, async (args) => {
  const [command] = args.positionals;
  if (command === "serve") return (await import("../brain/server/serve.ts")).serveHere(args);
  return runBrainCommand(args);
});
