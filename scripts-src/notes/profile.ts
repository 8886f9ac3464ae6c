import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { isSafeName } from "../base/names.ts";
import { namesIn, readFileIfPresent, writeFileAtomically } from "../files/atomic-file.ts";
import { existsSync } from "../files/disk.ts";
import { ensureFolder, safeJoin } from "../files/safe-path.ts";
import type { Workspace } from "../session/workspace/workspace.ts";

const headings = ["Model", "Tools", "Skills", "Strengths", "Weaknesses"];
const profileBytes = 16_384;

/**
 * Stores the profile of an agent, which says what it can do, for its peers (seed 000, capability profiles).
 * @throws ConsultaError REFUSED when a heading is missing.
 */
export function writeProfile(workspace: Workspace, participant: string, text: string): string {
  const missing = headings.filter(
    (heading) => !new RegExp(`^#+\\s+${heading}\\s*$`, "im").test(text),
  );
  if (missing.length > 0 || Buffer.byteLength(text) > profileBytes) {
    throw refused(
      `a profile is Markdown of at most ${profileBytes} bytes with the headings ${headings.join(", ")}; ` +
        (missing.length > 0
          ? `missing: ${missing.join(", ")}`
          : `${Buffer.byteLength(text)} bytes came`),
    );
  }
  const path = join(ensureFolder(workspace.root, "profiles"), `${participant}.md`);
  writeFileAtomically(path, text.endsWith("\n") ? text : `${text}\n`);
  return path;
}

/** The profiles of all agents that wrote one. */
export function readProfiles(workspace: Workspace): { name: string; text: string }[] {
  const folder = safeJoin(workspace.root, "profiles");
  if (!existsSync(folder)) return [];
  return namesIn(folder)
    .filter((file) => file.endsWith(".md") && isSafeName(file))
    .sort()
    .map((file) => ({
      name: file.slice(0, -".md".length),
      text: readFileIfPresent(join(folder, file), profileBytes) ?? "",
    }));
}
