import { join } from "node:path";
import { ConsultaError } from "../../base/errors.ts";
import { type Arguments, type OptionSpec, optionName } from "../../script/arguments.ts";
import { isWorkspaceThere, workspaceOf } from "../../session/session-options.ts";

/** An option and the commands of `brain` that take it. */
interface BrainOption extends OptionSpec {
  readonly of: readonly string[];
}

const table: readonly BrainOption[] = [
  { of: ["retrieve"], flags: "--query <words>", text: "what fits these words, best first" },
  { of: ["retrieve", "list"], flags: "--limit <n>", text: "how many at most" },
  { of: ["list"], flags: "--after <key>", text: "the page behind this key" },
  { of: ["store"], flags: "--tag <tag>", text: "a word to find it by", many: true },
  { of: ["store"], flags: "--if-version <n>", text: "only over this version; 0: only a new key" },
  { of: ["store"], flags: "--insist", text: "though it looks like a secret" },
  { of: ["store"], flags: "--value-json", text: "the value is JSON, not text" },
  { of: ["store"], flags: "--file <file>", text: "the value is the text of this file" },
  { of: ["store"], flags: "--link <session>", text: "the Consulta session that it comes from" },
  { of: ["process"], flags: "--instruction <text>", text: "what to do with the material" },
  { of: ["forget"], flags: "--text <words>", text: "whatever holds these words" },
  { of: ["event", "suggest"], flags: "--session <id>", text: "for this session of a CLI only" },
  { of: ["store", "event", "suggest"], flags: "--source <name>", text: "who says it" },
  { of: ["serve"], flags: "--idle-minutes <n>", text: "leave when nobody came for so long (30)" },
  { of: ["serve"], flags: "--adopt", text: "take over a database made under another key" },
];

export const brainOptions: readonly OptionSpec[] = table.map(({ of, text, ...option }) => ({
  ...option,
  text: `${of.join(", ")}: ${text}`,
}));

/** @throws ConsultaError REFUSED for an option of another command: without effect it misleads. */
export function refuseForeignOptions(args: Arguments): void {
  const [command = ""] = args.positionals;
  const foreign = table.find((it) => args.has(optionName(it)) && !it.of.includes(command));
  if (foreign === undefined) return;
  const own = foreign.of.join(", ");
  throw new ConsultaError(
    "REFUSED",
    `--${optionName(foreign)} is for ${own}, ${command} does not take it; leave it out`,
  );
}

/** @throws ConsultaError REFUSED in a project whose config switches its brain off. */
export function refuseBrainOff(args: Arguments): void {
  if (!isWorkspaceThere(args)) return;
  const { root, config } = workspaceOf(args);
  if (config.brain) return;
  throw new ConsultaError(
    "REFUSED",
    `this project's brain is switched off by "brain": false in ${join(root, "config.json")}; set it to true to use it`,
  );
}
