import { type Arguments, type OptionSpec, optionName } from "../script/arguments.ts";
import { deliverableTypeNames } from "./rules/deliverables.ts";
import type { Opening } from "./rules/opening.ts";

/** What a collaboration is opened with beside its objective and who takes part. */
export type CollaborationTerms = Omit<Opening, "createdAt" | "objective" | "participants">;

/** The options that open a collaboration, for every script that does. */
export const collaborationOptions: readonly OptionSpec[] = [
  {
    flags: "--completion <gate>",
    text: "collaboration, repeat: what must hold at the end",
    many: true,
  },
  {
    flags: "--primary-deliverable-type <type>",
    text: `collaboration, schema 2: ${deliverableTypeNames.join(", ")}`,
  },
  {
    flags: "--primary-deliverable-file <path>",
    text: "schema 2: Markdown file in the deliverables' folder",
  },
  {
    flags: "--primary-deliverable-check <section>",
    text: "schema 2, type custom, repeat: a section that it must have",
    many: true,
  },
  {
    flags: "--deliverables-mode <mode>",
    text: "schema 2: internal or external (default: internal)",
  },
  { flags: "--deliverables-dir <dir>", text: "schema 2 (default: deliverables)" },
  {
    flags: "--repo-root <path>",
    text: "schema 2, external: the repository, relative to the folder",
  },
];

export function termsOf(args: Arguments): CollaborationTerms {
  const type = args.one("primary-deliverable-type") ?? "";
  const file = args.one("primary-deliverable-file");
  const checks = args.many("primary-deliverable-check");
  const isSecond = termsGiven(args).some((option) => option !== "--completion");
  return {
    gates: args.many("completion"),
    primary: isSecond ? { type, file, checks } : undefined,
    mode: args.one("deliverables-mode"),
    dir: args.one("deliverables-dir"),
    repoRoot: args.one("repo-root"),
  };
}

/** Those of these options that the command line has, each with its dashes. */
export function termsGiven(args: Arguments): string[] {
  const names = collaborationOptions.map(optionName);
  return names.filter((name) => args.has(name)).map((name) => `--${name}`);
}
