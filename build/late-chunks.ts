import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * What most starts never call, by where it is and the chunk that it is in: a chunk is loaded when one
 * of these functions is called for the first time. Sources import them as ever.
 */
const lateModules: readonly (readonly [within: RegExp, chunk: string])[] = [
  [/\/files\/errno-names\.ts$/, "errno-names"],
  [/\/protocol\/evidence\.ts$/, "records"],
  [/\/session\/(session-list|workspace\/known-sessions)\.ts$/, "lists"],
  [/\/session\/(replay|staged-writes|add-evidence|past\/ended-unread)\.ts$/, "seldom"],
  [/\/session\/text\/(cut-messages|print-overdue|person-text)\.ts$/, "seldom"],
  [/\/session\/workspace\/(main-checkout|remember-session)\.ts$/, "seldom"],
  [/\/(files\/project-file|files\/poll-folder|log\/find-damage|log\/find-event)\.ts$/, "seldom"],
  [/\/base\/markdown\.ts$/, "markdown"],
  [/\/(wake\/roles|clis\/short-line)\.ts$/, "roles"],
  [/\/files\/proved-file\.ts$/, "seldom"],
  [/\/dialogue\/(evidence|disputed-facts)\.ts$/, "dialogue-evidence"],
  [
    /\/dialogue\/(dissent|delivery-lines|synthesis-words|subject-marks|owner-words|vendors)\.ts$/,
    "dialogue-seldom",
  ],
  [/\/base\/secrets\.ts$/, "secrets"],
  [/\/base\/nearest-name\.ts$/, "nearest-name"],
  [/\/(protocol\/decide-person-step|session\/person-log)\.ts$/, "person-steps"],
  [/\/dialogue\/(rules|guide)-before-evidence\.ts$/, "dialogue-before-evidence"],
  [/\/dialogue\/(report|conclusions|audit|payoff|person|verdict)\.ts$/, "dialogue-report"],
  [
    /\/dialogue\/(decide|ending|evidence-needed|fold-message|marks|rules-of-evidence|solution|take-stand)\.ts$/,
    "dialogue-message",
  ],
];

/** The same for modules of Node whose functions alone are used: loading one costs 0.3 to 4 ms. */
const lateOfNode: readonly string[] = [
  ...["node:child_process", "node:crypto", "node:http", "node:net", "node:os", "node:readline"],
];

/** The chunk of a module that is loaded late; undefined for all others. */
export function lateChunkOf(path: string): string | undefined {
  return lateModules.find(([within]) => within.test(path))?.[1];
}

/** Whether a function of Node is fetched when it is first called. */
export function isLateOfNode(id: string, name: string): boolean {
  // What has a capital is made with `new`.
  if (!lateOfNode.includes(id) || !/^[a-z]/.test(name)) return false;
  return typeof createRequire(import.meta.url)(id)[name] === "function";
}

/** The functions that a module exports. */
export function functionsOf(path: string): string[] {
  const source = readFileSync(path, "utf8");
  const found = source.matchAll(/^export (?:async )?function\*? ?(\w+)/gm);
  return [...found].map(([, name = ""]) => name);
}
