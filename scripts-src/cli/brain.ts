import type { ScriptSpec } from "../host/arguments.ts";
import { jsonOption, workspaceOption } from "../host/context.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "brain",
  summary: "The project's memory, shared by all CLIs: keep, find and digest; or serve it.",
  positionals: ["<command>", "[first]", "[second]"],
  dashWords: true,
  waits: true,
  ownExitCodes: [
    { exit: 1, failures: [], advice: "not there: retrieve knows no memory of this key" },
    { exit: 130, failures: [], advice: "serve was stopped by a signal" },
  ],
  options: [
    { flags: "--query <words>", text: "retrieve: what fits these words, best first" },
    { flags: "--limit <n>", text: "retrieve --query, list: how many at most" },
    { flags: "--after <key>", text: "list: the page behind this key" },
    { flags: "--tag <tag>", text: "store: a word to find it by", many: true },
    { flags: "--if-version <n>", text: "store: only over this version; 0: only a new key" },
    { flags: "--insist", text: "store: though it looks like a secret" },
    { flags: "--value-json", text: "store: the value is JSON, not text" },
    { flags: "--link <session>", text: "store: the Consulta session that it comes from" },
    { flags: "--instruction <text>", text: "process: what to do with the material" },
    { flags: "--text <words>", text: "forget: whatever holds these words" },
    { flags: "--session <id>", text: "event, suggest: for this session of a CLI only" },
    { flags: "--source <name>", text: "store, event, suggest: who says it" },
    { flags: "--idle-minutes <n>", text: "serve: leave when nobody came for so long (30)" },
    workspaceOption,
    jsonOption,
  ],
  notes: [
    "brain store KEY VALUE           keep something (VALUE - reads standard input)",
    "brain retrieve KEY              print it",
    "brain retrieve --query WORDS    find what fits",
    "brain search QUESTION           have the delegate search the web",
    "brain process FILE              have the delegate digest a file (- reads standard input)",
    "brain event TEXT                tell a session, or whichever comes first, of something",
    "brain suggest TEXT              suggest an action; nobody executes it by itself",
    "brain list [PREFIX]             the keys, in order",
    "brain forget KEY                remove without a trace; * stands for any characters, ? for one",
    "brain export                    all memories, one JSON text a line; brain import FILE takes them over",
    "brain status                    sessions, usage, alerts, what was put where and why",
    "brain serve                     run it here; other commands start it by themselves",
    "The delegate is a headless CLI, named in ~/.consulta/config.yaml under brain: delegate.",
  ],
};

runScript(spec, async (args) => {
  const [command] = args.positionals;
  if (command === "serve") return (await import("../host/serve-brain.ts")).serveHere(args);
  return (await import("../host/brain-commands.ts")).runBrainCommand(args);
});
