/** What a plugin of OpenCode loads, beside the scripts. */
export const pluginModule = "opencode.mjs";

/** Where a project has its scripts, whichever skill and CLI runs them: the texts of all skills name it. */
export const projectScripts = ".agents/skills/consulta/scripts";

/** What OpenCode loads when it starts in a project. */
export const pluginFile = ".opencode/plugin/consulta.js";

/** It never changes: what it loads lies beside the scripts, and comes and goes with them. */
export const pluginText = `// Wakes OpenCode for a session of Consulta. install --hooks puts it here, install --remove takes it out.
export const consulta = async (given) => {
  try {
    return await (await import("../../${projectScripts}/${pluginModule}")).consulta(given);
  } catch {
    return {};
  }
};
`;
