import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOwnLimits } from "../scripts-src/session/workspace/workspace.ts";

/** Only the user's own settings let a project have more rounds than the default. */
const settings = "limits:\n  max_rounds: 10000000\n";

/** Names the home to the processes of one benchmark: what one of them begins, all of them believe. */
export const homeVariable = "CONSULTA_BENCH_HOME";

/** A home whose settings end no session. */
export const ownHome = process.env[homeVariable] ?? makeHome();

function makeHome(): string {
  const home = mkdtempSync(join(realpathSync(tmpdir()), "consulta-home-"));
  mkdirSync(join(home, ".consulta"), { mode: 0o700 });
  writeFileSync(join(home, ".consulta", "config.yaml"), settings, { mode: 0o600 });
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** From here on it is the home of this process. */
export async function moveHome(): Promise<void> {
  process.env["HOME"] = ownHome;
  await readOwnLimits();
}
