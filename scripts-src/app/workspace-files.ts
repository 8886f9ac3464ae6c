import ignored from "../../.consulta/.gitignore";
import protocol from "../../.consulta/PROTOCOL.md";
import { defaultConfig } from "../core/config.ts";

/** What a fresh `.consulta/` folder holds, so that a bare `npx skills add` suffices. */
export const workspaceFiles: Record<string, string> = {
  "PROTOCOL.md": protocol,
  "config.json": `${JSON.stringify(defaultConfig, undefined, 2)}\n`,
  ".gitignore": ignored,
};
