import { refused } from "./errors.ts";
import { quote } from "./json.ts";
import { limits } from "./limits.ts";
import { isPlainLine } from "./quote-text.ts";

const namePattern = /^[a-z0-9][a-z0-9._-]*$/;
const windowsDevice = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;
const reservedParticipants = new Set(["system", "user", "human", "all", "consulta"]);

/**
 * Returns `name` when it may name a participant (DESIGN section 2).
 * @throws ConsultaError REFUSED with the grammar.
 */
export function parseParticipant(name: string): string {
  const fault = nameFault(name, limits.participantCharacters);
  if (fault === undefined && !reservedParticipants.has(name)) return name;
  throw refused(
    `${quote(name)} cannot name a participant (${fault ?? "the word is reserved"}); ` +
      "use 1 to 64 lower case letters, digits, '-', '_' or '.', such as claude or gemini",
  );
}

/**
 * Returns `name` when it may name a participant of a folder that others began (DESIGN section 2).
 * It never becomes part of a path.
 * @throws ConsultaError REFUSED with the grammar.
 */
export function parseForeignName(name: string): string {
  if (name.trim() !== "" && isPlainLine(name) && name.length <= limits.collaborationNameCharacters)
    return name;
  throw refused(
    `${quote(name)} cannot name a participant; use 1 to ${limits.collaborationNameCharacters} characters ` +
      "that are not all blank, without control characters",
  );
}

/**
 * Returns `id` when it may name a session; it becomes part of file names.
 * @throws ConsultaError REFUSED with the grammar.
 */
export function parseSessionId(id: string): string {
  const fault = nameFault(id, limits.sessionIdCharacters);
  if (fault === undefined) return id;
  throw refused(
    `${quote(id)} cannot name a session (${fault}); use 1 to 64 lower case letters, digits, ` +
      "'-', '_' or '.', such as auth-review",
  );
}

/** A session id made of a topic's words, at most 30 characters (seed 000: kebab-case, max 30). */
export function slugOf(topic: string): string {
  const words = topic
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  const short =
    words.length > 30
      ? words
          .slice(0, 31)
          .replace(/-[^-]*$/, "")
          .slice(0, 30)
      : words;
  return nameFault(short, limits.sessionIdCharacters) === undefined ? short : "session";
}

/** Whether a name that came out of a file may become part of a path. */
export function isSafeName(name: string): boolean {
  return nameFault(name, limits.sessionIdCharacters) === undefined;
}

function nameFault(name: string, charactersMax: number): string | undefined {
  if (name.length === 0) return "it is empty";
  if (name.length > charactersMax) return `it has ${name.length} characters`;
  if (!namePattern.test(name)) return "a character is not allowed";
  if (name.includes("..")) return "it contains '..'";
  if (name.endsWith(".")) return "it ends with a dot";
  if (windowsDevice.test(name)) return "it is a device name on Windows";
  return undefined;
}

/**
 * Whether AI CLIs read a file of this name as their user's instructions, in every folder they work in:
 * a document so named would talk to each later session. As file systems that know one case compare names.
 */
export function isInstructions(name: string): boolean {
  return /^(?:claude(?:\.local)?|gemini|agents?(?:\.override)?|qwen|crush|skill)\.md[ .]*$/iu.test(
    name.normalize("NFC"),
  );
}
