import ignored from "../../../.consulta/.gitignore";
import protocol from "../../../.consulta/PROTOCOL.md";
import { defaultConfigText } from "../../protocol/config.ts";
import waitForMessage from "./watchers/wait-for-message.sh";
import watcherPs1 from "./watchers/watcher.ps1";
import watcher from "./watchers/watcher.sh";

/** What a fresh `.consulta/` folder holds, so that a bare `npx skills add` suffices. */
export const workspaceFiles: Record<string, string> = {
  "PROTOCOL.md": protocol,
  "config.json": defaultConfigText(),
  ".gitignore": ignored,
  // A colleague with the original files stops where they are missing.
  "scripts/watcher.sh": watcher,
  "scripts/watcher.ps1": watcherPs1,
  "scripts/wait-for-message.sh": waitForMessage,
  // No shell runs a script whose lines end as those of Windows do.
  "scripts/.gitattributes": "* text eol=lf\n",
};
