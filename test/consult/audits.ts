import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { question, session } from "./answers.ts";
import type { ConsultRun, Ended } from "./consult-run.ts";

export const turns = [question, "--mode", "turns"];
/** Gemini claims something; both see it. */
export const claims = { FAKE_GEMINI: "claims" };

export function notesIn(run: ConsultRun): ConsultRun {
  writeFileSync(join(run.project, "notes.md"), "We keep sessions in SQLite.\n");
  return run;
}

export function auditsIn(run: ConsultRun) {
  return run.events(session).filter(({ event }) => event === "audited");
}

export function verdictIn({ stdout }: Ended): string | undefined {
  return /^\*\*(.+?)\*\*$/m.exec(stdout)?.[1];
}
