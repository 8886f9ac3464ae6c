import { dirname, join, resolve } from "node:path";
import { ConsultaError, exitCodes } from "../base/errors.ts";
import { packVersion } from "../base/pack-version.ts";
import { plural } from "../base/plural.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { applyPlan, type Plan, planInstall } from "../pack/install.ts";
import { packOf, projectScripts } from "../pack/pack.ts";
import { localSettings } from "../pack/plan-settings.ts";
import { settingsDiff } from "../pack/settings-text.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine, readerHere } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { refuseBelowCli } from "../session/refuse-agents.ts";
import { runInProject } from "../session/run-in-project.ts";
import { jsonOption } from "../session/session-options.ts";

const spec: ScriptSpec = {
  name: "install",
  summary:
    "Put the pack into a project: skills for Claude Code, Gemini CLI and Codex, slash commands, hooks.",
  options: [
    { flags: "--into <dir>", text: "the project (default: this folder)" },
    {
      flags: "--hooks",
      text: "also hooks: they wake a model when a peer has written, and tell the brain; with --permissions",
    },
    {
      flags: "--permissions",
      text: "also rules: the CLIs run the scripts of a session and write drafts without asking",
    },
    {
      flags: "--local",
      text: "hooks and rules of Claude Code into settings.local.json, which others do not share; none for Gemini CLI",
    },
    {
      flags: "--remove",
      text: "take out what install put in; with --hooks or --permissions only that",
    },
    { flags: "--dry-run", text: "say what would change, and change nothing" },
    jsonOption,
  ],
  notes: [
    "Settings are merged: what is in them keeps its meaning, comments stay, a second run changes nothing.",
    "Those that cannot be edited safely (broken JSON, links) are named, with the lines to add by hand.",
    "Example: node dist/install.cjs --into ~/work/shop --hooks",
  ],
};

runInProject(spec, async (args) => {
  if (!args.has("dry-run")) await refuseBelowCli("install writes skills, commands and settings");
  const project = projectOf(args);
  const wish = {
    hooks: args.has("hooks") || (args.has("local") && !args.has("permissions")),
    rules: args.has("permissions"),
    remove: args.has("remove"),
    local: args.has("local"),
  };
  const plan = planInstall(packOf(process.argv[1] ?? ""), project, wish);
  const isRefused = plan.faults.length > 0;
  if (!isRefused && !args.has("json")) printLines(...footprint(plan, project));
  if (!isRefused && !args.has("dry-run")) await applyPlan(project, plan);
  if (args.has("json")) print(`${JSON.stringify(forPrograms(plan, project, args))}\n`);
  else show(plan, project, args);
  for (const [reason, [first = "", ...others]] of pathsByReason(plan)) {
    const paths =
      others.length === 0 ? first : `${first} and ${plural(others.length, "other file")}`;
    printErrorLines(`error: ${paths}: ${reason}; nothing was written`);
  }
  return isRefused ? exitCodes.REFUSED : exitCodes.OK;
});

/** What is about to be added, before it is: people decide by size and place. */
function footprint({ files }: Plan, project: string): string[] {
  const added = files.flatMap(({ path, content }) =>
    content === undefined ? [] : [{ path, content }],
  );
  if (added.length === 0) return [];
  const bytes = added.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const folders = [...new Set(added.map(({ path }) => path.split("/", 1).join()))].sort();
  const size = bytes < 1e5 ? "less than 0.1 MB" : `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    `to add to ${project}: ${plural(added.length, "file")}, ${size}, in ${folders.join(", ")}`,
  ];
}

/** Links on the way to the project are the user's own; those inside of it are not followed. */
function projectOf(args: Arguments): string {
  const folder = resolve(args.one("into") ?? process.cwd());
  try {
    return realpathSync(folder);
  } catch (cause) {
    throw new ConsultaError("REFUSED", `there is no folder ${folder}: make it first`, { cause });
  }
}

function show(plan: Plan, project: string, args: Arguments): void {
  const { files, settings, faults, notes } = plan;
  const isDry = args.has("dry-run");
  for (const change of settings) print(settingsDiff(change));
  printLines(...notes);
  for (const { path, lines } of faults) {
    if (lines === undefined) continue;
    printLines(`add to ${path} by hand:`);
    print(`${lines}\n`);
  }
  if (faults.length > 0) return;
  const gone = files.filter(({ content }) => content === undefined).length;
  const counts = (
    [
      [files.length - gone, "file", "written"],
      [gone, "file", "removed"],
      [settings.length, "settings file", "changed"],
    ] as const
  ).flatMap(([count, noun, verb]) => {
    if (count === 0) return [];
    return [`${count} ${noun}${count === 1 ? "" : "s"} ${isDry ? "would be " : ""}${verb}`];
  });
  const done = counts.length === 0 ? "nothing to do" : counts.join(", ");
  const manner = isDry ? " (dry run: nothing was touched)" : "";
  printLines(`consulta ${packVersion} in ${project}: ${done}${manner}`);
  if (!isDry && !args.has("remove") && counts.length > 0) printLines(next(plan, project));
}

/** What a person does with what is there now. */
function next({ files, settings }: Plan, project: string): string {
  const shared = [...files, ...settings].filter(({ path }) => path !== localSettings.path);
  const folders = [...new Set(shared.map(({ path }) => path.split("/", 1).join()))].sort();
  const listed = folders.join(" ");
  const commit =
    folders.length === 0 ? "" : `commit ${listed} to share them, or list them in .gitignore; `;
  const copy = join(project, projectScripts);
  const scripts = existsSync(copy) ? copy : dirname(process.argv[1] ?? ".");
  const into = project === realpathSync(process.cwd()) ? undefined : { path: project };
  const check = commandLine("doctor", { into }, [], readerHere(scripts));
  return `next: ${commit}restart both CLIs, trust the folder in each, then: ${check}`;
}

/** One folder that cannot be written keeps many files out: that is one thing to tell. */
function pathsByReason({ faults }: Plan): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const { path, reason } of faults) paths.set(reason, [...(paths.get(reason) ?? []), path]);
  return paths;
}

function forPrograms({ files, settings, notes, faults }: Plan, project: string, args: Arguments) {
  return {
    version: packVersion,
    project,
    done: faults.length === 0 && !args.has("dry-run"),
    written: files.filter(({ content }) => content !== undefined).map(({ path }) => path),
    removed: files.filter(({ content }) => content === undefined).map(({ path }) => path),
    settings: settings.map((change) => ({ path: change.path, diff: settingsDiff(change) })),
    notes,
    faults,
  };
}
