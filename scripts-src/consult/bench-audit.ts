import { join } from "node:path";
import { refused } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { type Faults, list, oneOf, record, text } from "../base/schema.ts";
import { parseStrictYaml } from "../base/strict-yaml.ts";
import { namesIn, readFileIfPresent } from "../files/atomic-file.ts";
import { sayings } from "../protocol/audit.ts";
import { printErrorLines } from "../script/output.ts";
import { askAuditor } from "./audit.ts";
import type { ProgramDriver } from "./driver.ts";

const it = text();
const claim = record({ id: it, text: it, check: it, expect: it }, [
  "id",
  "text",
  "check",
  "expect",
]);
const fields = { name: it, truth: oneOf(sayings), question: it, position: it, text: it, seen: it };
const all = ["name", "truth", "question", "position", "text", "seen", "claim"] as const;
const readPackets = list(record({ ...fields, claim }, all));

/**
 * The packets of known truth that lie in a folder: one claim each, with what was seen.
 * @throws ConsultaError REFUSED when there are none, or one is not whole.
 */
export function readAuditPackets(folder: string) {
  const faults: Faults = { found: [], strict: false };
  const names = namesIn(folder).filter((name) => name.endsWith(".yaml"));
  const packets = names.sort().flatMap((name) => {
    const written = readFileIfPresent(join(folder, name), limits.messageBytes) ?? "";
    return readPackets(parseStrictYaml(written, name), name, faults) ?? [];
  });
  const [fault = "run dist/bench-audit.cjs of a clone of Consulta"] = faults.found;
  if (packets.length > 0 && faults.found.length === 0) return packets;
  throw refused(`there are no whole packets in ${folder}; ${fault}`);
}

/** What was said where the truth is what, "none" for no answer of the right form, and what it cost. */
interface Bench {
  readonly confusion: Record<string, Record<string, number>>;
  readonly tokens: { in: number; out: number };
}

/** Has each packet read as the decision of a session is; stopped, it ends with what there is. */
export async function benchAuditor(
  driver: ProgramDriver,
  packets: ReturnType<typeof readAuditPackets>,
  scripts: string,
  signal: AbortSignal,
): Promise<Bench> {
  const { confusion, tokens }: Bench = { confusion: {}, tokens: { in: 0, out: 0 } };
  for (const [at, { name, truth, claim, seen, ...decision }] of packets.entries()) {
    const material = { ...decision, claims: [{ ...claim, seen }], agreeTexts: [] };
    const asked = await askAuditor(driver, material, { scripts, timeoutMs: 0 }, signal);
    if (signal.aborted) break;
    tokens.in += asked.tokens.in;
    tokens.out += asked.tokens.out;
    const [{ says: said = "none" } = {}] = "answer" in asked ? asked.answer.claims : [];
    const row = confusion[truth] ?? {};
    confusion[truth] = { ...row, [said]: (row[said] ?? 0) + 1 };
    printErrorLines(`${at + 1} of ${packets.length}: ${truth}, said ${said}: ${name}`);
  }
  return { confusion, tokens };
}

/** The figures in words: is what it calls shown, does it find what is, how often does it not say. */
export function benchLines({ confusion, tokens }: Bench): string[] {
  const count = (of: readonly string[], ...said: string[]) =>
    of.flatMap((it) => said.map((way) => confusion[it]?.[way] ?? 0)).reduce((a, b) => a + b, 0);
  const share = (part: number, of: number) =>
    `${part} of ${of} (${Math.round((100 * part) / Math.max(1, of))} %)`;
  const unsaid = ["cannot_tell", "none"];
  const found = count(["shows"], "shows");
  const each = sayings.map((it) => [it, count([it], ...sayings, "none")] as const);
  return [
    `precision of shows: ${share(found, count(sayings, "shows"))}`,
    `recall of shows: ${share(found, each[0]?.[1] ?? 0)}`,
    ...each.map(([it, of]) => `abstained of ${it}: ${share(count([it], ...unsaid), of)}`),
    `tokens (characters divided by four): ${tokens.in} in, ${tokens.out} out`,
  ];
}
