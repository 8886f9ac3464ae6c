import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOwnLimits } from "../scripts-src/session/workspace/own-limits.ts";

/** Only the user's own settings let a project have more rounds than the default. */
const settings = "limits:\n  max_rounds: 10000000\n";

/** A home whose settings end no session. */
export const ownHome = mkdtempSync(join(realpathSync(tmpdir()), "consulta-home-"));
mkdirSync(join(ownHome, ".consulta"), { mode: 0o700 });
writeFileSync(join(ownHome, ".consulta", "config.yaml"), settings, { mode: 0o600 });
process.on("exit", () => rmSync(ownHome, { recursive: true, force: true }));

/** From here on it is the home of this process. */
export async function moveHome(): Promise<void> {
  process.env["HOME"] = ownHome;
  await readOwnLimits();
}
