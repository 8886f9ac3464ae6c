import { dirname, join } from "node:path";
import type { HookedCli } from "../clis/hook-entries.ts";
import { at, type Patient, settingsAt } from "./diagnosis.ts";

/** Whether each CLI trusts the project: before that it runs none of its hooks. */
export const trustedBy: Readonly<Record<HookedCli, (patient: Patient) => boolean>> = {
  claude: ({ home, project }) => {
    const projects = at(settingsAt(join(home, ".claude.json")), "projects");
    return foldersAbove(project).some(
      (folder) => at(projects, folder, "hasTrustDialogAccepted") === true,
    );
  },
  gemini: ({ home, project, environment }) => {
    const settings = settingsAt(join(home, ".gemini/settings.json"));
    const isOff = at(settings, "security", "folderTrust", "enabled") === false;
    const rules = settingsAt(
      environment["GEMINI_CLI_TRUSTED_FOLDERS_PATH"] || join(home, ".gemini/trustedFolders.json"),
    );
    const trusts = foldersAbove(project).some((folder) => {
      const parentOf = Object.entries(rules).some(
        ([path, rule]) => rule === "TRUST_PARENT" && dirname(path) === folder,
      );
      return rules[folder] === "TRUST_FOLDER" || parentOf;
    });
    const isTrusted = isOff || environment["GEMINI_CLI_TRUST_WORKSPACE"] === "true" || trusts;
    return isTrusted && rules[project] !== "DO_NOT_TRUST";
  },
};

/** The folder and all above it, the nearest first. */
function foldersAbove(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))];
}
