import { dirname } from "node:path";
import { type Diagnosis, ok, type Patient } from "../base/diagnosis.ts";
import { exitCodes } from "../base/errors.ts";
import { checkBrain } from "../brain/check-brain.ts";
import { realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { checkClis } from "../pack/check-clis.ts";
import {
  checkCopies,
  checkHooks,
  checkPermissions,
  checkWorkspace,
  versionOf,
} from "../pack/check-installed.ts";
import { projectAt } from "../pack/pack.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine } from "../script/command-line.ts";
import { print, printLines } from "../script/output.ts";
import { runInProject } from "../session/run-in-project.ts";
import { common } from "../session/session-options.ts";
import { workspaceProject, workspaceRoot } from "../session/workspace/workspace.ts";

const spec: ScriptSpec = {
  name: "doctor",
  summary:
    "Show what is installed, which CLIs are available and what they support, and how to fix problems.",
  options: [{ flags: "--into <dir>", text: "the project (default: this folder's)" }, common.json],
  ownExitCodes: [
    { exit: exitCodes.OK, failures: [], advice: "all is well" },
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "something is worth fixing, each with the command that does it",
    },
  ],
  notes: ["It asks no model anything and prints no secrets."],
};

runInProject(spec, async (args) => {
  const patient = patientOf(args);
  const seen: Diagnosis[] = [
    ok(
      `Node ${process.versions.node}; this is consulta ${versionOf(patient.scripts)} in ${patient.scripts}`,
    ),
    ...checkCopies(patient),
    ...(await checkClis(patient)),
    ...checkHooks(patient),
    ...checkPermissions(patient),
    ...checkWorkspace(patient),
    ...(await checkBrain(patient)),
  ];
  // Two checks may read the same user file and report the same fault: show it once.
  const found = [...new Map(seen.map((it) => [it.text, it])).values()];
  const faults = found.filter(({ level }) => level === "fix").length;
  if (args.has("json")) print(`${JSON.stringify({ project: patient.project, faults, found })}\n`);
  else {
    printLines(...found.map(lineFor), faults === 0 ? "all is well" : `${faults} to fix`);
  }
  return faults === 0 ? exitCodes.OK : exitCodes.NOT_YET;
});

function patientOf(args: Arguments): Patient {
  const start = projectAt(args.one("into"));
  const project = (workspaceRoot(start) && workspaceProject(start)) ?? start;
  // The option that names the project is needed only when doctor runs in another folder.
  const elsewhere = project === realpathSync(process.cwd()) ? [] : [project];
  return {
    project,
    home: homeFolder(),
    environment: process.env,
    scripts: dirname(realpathSync(process.argv[1] ?? ".")),
    line: (script, ...words) => {
      const where = script === "install" ? "--into" : "--workspace";
      return commandLine(script, {}, [...words, ...elsewhere.flatMap((it) => [where, it])]);
    },
  };
}

function lineFor({ level, text, command }: Diagnosis): string {
  const label = { ok: "ok  ", note: "note", fix: "FIX " }[level];
  return command === undefined ? `${label} ${text}` : `${label} ${text} -> ${command}`;
}
