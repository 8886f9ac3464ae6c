import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isRecord, isStringArray } from "../../scripts-src/base/json.ts";
import { skillNames } from "../../scripts-src/clis/skill-names.ts";

const references = skillNames.map((skill) =>
  resolve(import.meta.dirname, "../../skills", skill, "references"),
);

/** What the skills bring along to let a client run their scripts and write drafts, and nothing else. */
export const narrow = {
  claude: ["--settings", JSON.stringify({ permissions: { allow: references.flatMap(rulesIn) } })],
  gemini: references.flatMap((folder) => ["--policy", join(folder, "gemini-policy.toml")]),
};

function rulesIn(folder: string): string[] {
  const settings: unknown = JSON.parse(readFileSync(join(folder, "claude-settings.json"), "utf8"));
  const permissions = isRecord(settings) ? settings["permissions"] : undefined;
  const allow = isRecord(permissions) ? permissions["allow"] : undefined;
  if (isStringArray(allow)) return allow;
  throw new Error(`${folder} permits nothing in Claude Code`);
}
