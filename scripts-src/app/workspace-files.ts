import protocol from "../../.consulta/PROTOCOL.md";
import { defaultConfig } from "../core/dialogue/config.ts";

/** What a fresh `.consulta/` folder holds, so that a bare `npx skills add` suffices. */
export const workspaceFiles: Record<string, string> = {
  "PROTOCOL.md": protocol,
  "config.json": `${JSON.stringify(defaultConfig, undefined, 2)}\n`,
  // What the agents say to each other stays out of the project's history.
  ".gitignore": "*\n!PROTOCOL.md\n!config.json\n!scripts/\n!scripts/**\n",
};
