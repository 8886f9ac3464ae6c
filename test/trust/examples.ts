import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const folder = resolve(import.meta.dirname, "../../examples");

export const exampleNames = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

export function reportFile(name: string): string {
  return join(folder, name, "report.md");
}

/** Plays a recorded session as a user does, its checks really read and run; returns its report. */
export function playExample(name: string): string {
  const project = new Project();
  try {
    const env = { TMPDIR: project.folder };
    const ran = project.run("consult", ["--replay", join(folder, name)], "", { env });
    assert.equal(ran.code, 0, ran.stderr);
    return comparable(ran.stdout);
  } finally {
    removeFolder(project.folder);
  }
}

/** Without what differs from one playing to the next: times, ids and places. */
export function comparable(report: string): string {
  return report
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "2026-11-23T10:00:00Z")
    .replace(/\b[0-9a-f]{64}\b/g, "0".repeat(64))
    .replace(/^(.*\bchecksum of the last )[0-9a-f]{8}/gm, "$100000000")
    .replace(/node \S*\/dist\//g, "node dist/")
    .replace(/[^\s"]*\bconsulta-([a-z-]+)-[A-Za-z0-9]{6}\b/g, "/tmp/consulta-$1");
}
