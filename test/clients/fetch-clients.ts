/**
 * Installs what the tests in the real CLIs need, where it is not there yet. What cannot be had is
 * told, and is no failure: the tests then say so.
 */
import { findClients, findSkillsInstaller, skillsInstallers } from "./install-clients.ts";

const found = await Promise.all([
  findClients("codex"),
  ...skillsInstallers.map(findSkillsInstaller),
]);
for (const it of found) console.log("missing" in it ? `*** ${it.missing}` : `ready: ${it.bin}`);
