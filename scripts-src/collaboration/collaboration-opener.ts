import type { Opener } from "../session/opener.ts";
import { folderOption } from "../session/session-options.ts";
import { collaborationOptions } from "./collaboration-options.ts";
import { initCollaboration } from "./init-collaboration.ts";

/** How `init` opens a collaboration. */
export const collaborationOpener: Opener = {
  opens: "a collaboration of several (--objective)",
  askedBy: "--objective with --completion a collaboration",
  key: "objective",
  options: [
    { flags: "--objective <text>", text: "collaboration: what it must decide or produce" },
    { ...folderOption, text: "collaboration: where it shall lie (default: .consulta/sessions)" },
    {
      flags: "--resume",
      text: "collaboration: succeed where one exists; finish an init that died",
    },
    ...collaborationOptions,
  ],
  notes: [
    "Example: init --objective 'Agree on the sync API' --completion 'Error codes are listed'",
    "  --participant server --participant reader --folder docs/sync-api",
  ],
  open: async (args, register) => initCollaboration(args, register),
};
