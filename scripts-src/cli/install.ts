import { dirname, join } from "node:path";
import { exitCodes } from "../base/errors.ts";
import { packVersion } from "../base/pack-version.ts";
import { plural } from "../base/plural.ts";
import { projectScripts } from "../clis/opencode-plugin.ts";
import { existsSync, realpathSync } from "../files/disk.ts";
import { homeFolder } from "../files/home-folder.ts";
import { applyPlan, type Plan, planInstall } from "../pack/install.ts";
import { packOf, projectAt } from "../pack/pack.ts";
import { settingsDiff } from "../pack/settings-text.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine, readerHere } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { common } from "../session/session-options.ts";
import { forgetConversations } from "../wake/hook-state.ts";

const spec: ScriptSpec = {
  name: "install",
  summary:
    "Put the pack into a project: skills and hooks for Claude Code, Gemini CLI, Codex and OpenCode, slash commands.",
  options: [
    { flags: "--into <dir>", text: "the project (default: this folder)" },
    {
      flags: "--hooks",
      text: "also hooks, and a plugin for OpenCode: they wake a model when a peer has written, and tell the brain; with --permissions",
    },
    {
      flags: "--permissions",
      text: "also rules: the CLIs run the scripts of a session and write drafts without asking",
    },
    {
      flags: "--remove",
      text: "take out what install put in; with --hooks or --permissions only that",
    },
    { flags: "--dry-run", text: "say what would change, and change nothing" },
    common.json,
  ],
  ownExitCodes: [
    {
      exit: exitCodes.NOT_YET,
      failures: ["NOT_YET"],
      advice: "installed, but for settings that their CLI ignores: do what the message says",
    },
  ],
  notes: [
    "Settings are merged: what is in them keeps its meaning, comments stay, a second run changes nothing.",
    "Those that cannot be edited safely (broken JSON, links) are named, with the lines to add by hand; nothing is written.",
    "Those that their CLI ignores because they have comments are named, and all else is installed.",
    "Example: node dist/install.cjs --into ~/work/shop --hooks",
  ],
};

runInProject(spec, async (args) => {
  if (!args.has("dry-run")) await refuseBelowCli("install writes skills, commands and settings");
  const project = projectAt(args.one("into"));
  const wish = {
    hooks: args.has("hooks"),
    rules: args.has("permissions"),
    remove: args.has("remove"),
  };
  const plan = planInstall(packOf(process.argv[1] ?? ""), project, wish);
  const isRefused = plan.faults.length > 0;
  const isDone = !isRefused && !args.has("dry-run");
  if (isDone) await applyPlan(project, plan);
  if (isDone && wish.remove && (wish.hooks || !wish.rules))
    forgetConversations(homeFolder(), join(project, ".consulta"));
  if (args.has("json")) print(`${JSON.stringify(forPrograms(plan, project, args))}\n`);
  else show(plan, project, args);
  // One folder that cannot be written keeps many files out: that is one thing to tell.
  for (const reason of new Set(plan.faults.map((it) => it.reason))) {
    const [first, ...others] = plan.faults.filter((it) => it.reason === reason);
    const more = others.length === 0 ? "" : ` and ${plural(others.length, "other file")}`;
    printErrorLines(`error: ${first?.path}${more}: ${reason}; nothing was written`);
  }
  const rest = isDone ? "all else is installed" : "nothing was written";
  for (const { path, reason } of plan.ignored)
    printErrorLines(`error: ${path}: ${reason}; ${rest}`);
  if (isRefused) return exitCodes.REFUSED;
  return plan.ignored.length > 0 ? exitCodes.NOT_YET : exitCodes.OK;
});

function show(plan: Plan, project: string, args: Arguments): void {
  const { files, settings, faults, notes } = plan;
  for (const change of settings) print(settingsDiff(change));
  printLines(...notes);
  for (const { path, lines } of faults)
    if (lines !== undefined) print(`add to ${path} by hand:\n${lines}\n`);
  if (faults.length > 0) return;
  const would = args.has("dry-run") ? "would be " : "";
  const written = files.flatMap(({ content }) => content ?? []);
  const bytes = written.reduce((sum, content) => sum + content.length, 0);
  const size = bytes < 1e5 ? "" : ` (${(bytes / 1e6).toFixed(1)} MB)`;
  const counts = [
    ...countOf(written.length, "file", `${size} ${would}written`),
    ...countOf(files.length - written.length, "file", ` ${would}removed`),
    ...countOf(settings.length, "settings file", ` ${would}changed`),
  ];
  const done = counts.length === 0 ? "nothing to do" : counts.join(", ");
  const manner = would === "" ? "" : " (dry run: nothing was touched)";
  printLines(`consulta ${packVersion} in ${project}: ${done}${manner}`);
  if (would === "" && !args.has("remove") && counts.length > 0) printLines(next(plan, project));
}

function countOf(count: number, noun: string, rest: string): string[] {
  return count === 0 ? [] : [`${plural(count, noun)}${rest}`];
}

/** What a person does with what is there now. */
function next({ files, settings }: Plan, project: string): string {
  const tops = [...files, ...settings].map(({ path }) => path.split("/", 1).join());
  const folders = [...new Set(tops)].sort().join(" ");
  const copy = join(project, projectScripts);
  const scripts = existsSync(copy) ? copy : dirname(process.argv[1] ?? ".");
  const into = project === realpathSync(process.cwd()) ? undefined : { path: project };
  const check = commandLine("doctor", { into }, [], readerHere(scripts));
  const commit = `commit ${folders} to share them, or list them in .gitignore`;
  return `next: ${commit}; restart the CLIs, trust the folder in each and in Codex the hooks, then: ${check}`;
}

function forPrograms(plan: Plan, project: string, args: Arguments) {
  const { files, settings, notes, faults, ignored } = plan;
  return {
    version: packVersion,
    project,
    done: faults.length === 0 && !args.has("dry-run"),
    written: files.filter(({ content }) => content !== undefined).map(({ path }) => path),
    removed: files.filter(({ content }) => content === undefined).map(({ path }) => path),
    settings: settings.map((change) => ({ path: change.path, diff: settingsDiff(change) })),
    notes,
    faults,
    ignored,
  };
}
