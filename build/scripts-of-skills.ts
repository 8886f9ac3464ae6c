import type { SkillName } from "../scripts-src/clis/skill-names.ts";

/**
 * Each skill may be installed alone, and its hook, `init` and `next-action` serve sessions of every
 * kind: so each carries what any of them prints or runs. `test/install/what-ships.long.ts` follows
 * every such command.
 */
const inEachSkill = [
  "append-event",
  "brain",
  "check",
  "close",
  "consult",
  "decide",
  "doctor",
  "hook",
  "init",
  "install",
  "join",
  "journal",
  "next-action",
  "notify",
  "poll",
  "post",
  "profile",
  "read-all",
  "ready",
  "register",
  "rehearsal",
  "report",
  "status",
  "step-in",
  "validate",
  "verdict",
  "view",
  "wait-for-turn",
] as const;

/** The scripts that a skill's texts and its own scripts tell people and agents to run. */
export const scriptsOfSkills: Readonly<Record<SkillName, readonly string[]>> = {
  consulta: [...inEachSkill, "advise"],
  collaborate: inEachSkill,
  "share-findings": inEachSkill,
  brain: inEachSkill,
};
