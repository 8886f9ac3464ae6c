import { brainModel } from "../brain/brain-page.ts";
import type { ScriptSpec } from "../script/arguments.ts";
import { runInProject } from "../session/run-in-project.ts";
import { common } from "../session/session-options.ts";
import { serveView } from "../view/serve-view.ts";

const spec: ScriptSpec = {
  name: "view",
  summary: "Serve a page that shows your sessions live, calls you and lets you step in.",
  waits: true,
  options: [
    { ...common.workspace, many: true },
    { ...common.session, text: "open the page at this session" },
    { flags: "--port <number>", text: "the port (default: any that is free)" },
    { flags: "--open", text: "open it in your browser as well" },
  ],
  ownExitCodes: [{ exit: 130, failures: [], advice: "you ended it by Ctrl+C, or a signal did" }],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. It serves on 127.0.0.1 only, until you end it.",
    "The link works once, for the browser that opens it; --workspace may be given several times.",
  ],
};

runInProject(spec, (args) =>
  serveView(args, {
    brain: brainModel,
  }),
);
