import { ConsultaError, refused } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { parseParticipant } from "../../base/names.ts";
import { isPlainLine } from "../../base/quote-text.ts";

const agentPattern = /^[a-z][a-z0-9-]*$/;

/**
 * Returns `name` when it may name an agent of a board; it becomes a folder's name.
 * @throws ConsultaError REFUSED with the grammar.
 */
export function parseAgentName(name: string): string {
  const fault = agentFault(name);
  if (fault === undefined) return name;
  throw refused(
    `${quote(name)} cannot name an agent (${fault}); use a lower case letter and then up to ` +
      `${limits.participantCharacters - 1} lower case letters, digits or '-', such as agent-alpha`,
  );
}

/** Whether `parseAgentName` would give the name back. */
export function isAgentName(name: string): boolean {
  return agentFault(name) === undefined;
}

function agentFault(name: string): string | undefined {
  if (name === "") return "it is empty";
  if (name.length > limits.participantCharacters) return `it has ${name.length} characters`;
  if (!/^[a-z]/.test(name)) return "it does not begin with a lower case letter";
  if (!agentPattern.test(name)) return "a character is not allowed";
  return isParticipant(name) ? undefined : "the word is reserved, or a device name on Windows";
}

function isParticipant(name: string): boolean {
  try {
    return parseParticipant(name) === name;
  } catch (error) {
    if (error instanceof ConsultaError) return false;
    throw error;
  }
}

/**
 * The part of a finding's file name that its topic becomes. For topics in plain ASCII it is what the
 * original makes of them, one dash for each blank; elsewhere letters lose their accents.
 * @throws ConsultaError REFUSED for a topic that makes no name.
 */
export function slugOfTopic(topic: string): string {
  const slug = topic
    .normalize("NFKD")
    .toLowerCase()
    .replace(/ /g, "-")
    .replace(/[^a-z0-9-]/g, "");
  const fault = topicFault(topic, slug);
  if (fault === undefined) return slug;
  throw refused(
    `${quote(topic)} is no topic (${fault}); use 1 to ${limits.findingTopicCharacters} characters ` +
      'on one line with a letter of a to z or a digit, such as "root cause"',
  );
}

function topicFault(topic: string, slug: string): string | undefined {
  const length = Math.max(topic.length, slug.length);
  if (topic.trim() === "") return "it is empty";
  if (!isPlainLine(topic)) return "it has control characters";
  if (length > limits.findingTopicCharacters) return `it has ${length} characters`;
  if (!/[a-z0-9]/.test(slug)) return "it has no letter of a to z and no digit";
  return undefined;
}

/** `07-root-cause.md`; three digits from 100 on. */
export function findingFile(number: number, slug: string): string {
  return `${String(number).padStart(2, "0")}-${slug}.md`;
}

/** Who wrote a finding, which is `agent/NN-topic.md`. */
export function authorOf(finding: string): string {
  return finding.slice(0, finding.indexOf("/"));
}

/** Where a finding is below the board's folder. */
export function pathOf(finding: string): string {
  return `findings/${finding}`;
}

/** Whether this can be the name of a finding's file, in its agent's folder and nowhere else. */
export function isFindingFile(file: unknown): file is string {
  return typeof file === "string" && /^(?!\.)[^/\\\0]+\.md$/.test(file);
}

/** The number of a finding's file; undefined for a file that has none. */
export function numberOf(file: string): number | undefined {
  const [, digits] = /^(\d{1,15})-.*\.md$/s.exec(file) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The finding among `files`, each `agent/NN-topic.md`, that a reference means: `bob/01-x.md`,
 * `bob/01-x` or `bob/01`, whatever path stands before; undefined when it means none or several.
 */
export function resolveFinding(reference: string, files: readonly string[]): string | undefined {
  const [agent = "", name = ""] = reference.trim().split("/").slice(-2);
  const exact = files.find((file) => file === `${agent}/${name}` || file === `${agent}/${name}.md`);
  if (exact !== undefined || !/^\d+$/.test(name)) return exact;
  const start = `${agent}/`;
  const found = files.filter(
    (file) => file.startsWith(start) && numberOf(file.slice(start.length)) === Number(name),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The higher of two numbers of findings; what was numbered beyond all counting by hand is passed over. */
export function higherNumber(highest: number, other: number | undefined): number {
  return other === undefined || other > limits.findingNumber ? highest : Math.max(highest, other);
}
