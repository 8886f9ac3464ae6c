import { createInterface } from "node:readline";
import { type Diagnosis, fix, note, ok, type Patient } from "../base/diagnosis.ts";
import { isRecord, listIn, parseJsonObject, valueIn } from "../base/json.ts";
import { packVersion } from "../base/pack-version.ts";
import { askCli, type FoundCli } from "../clis/find-cli.ts";
import { isOwnHook } from "../clis/hook-entries.ts";
import { shortLine } from "../clis/output-line.ts";
import type { Talk } from "../clis/run-process.ts";

/** Its server starts in a second; one that hangs is not waited for. */
const answerMs = 10_000;

/**
 * Which of our hooks Codex runs in the project: those whose text its user has trusted. It passes over others without a
 * word, and only the CLI itself knows.
 */
export async function checkCodexTrust(cli: FoundCli, patient: Patient): Promise<Diagnosis[]> {
  const trust = `codex, in ${patient.project}: trust the folder, then type /hooks and trust those of Consulta`;
  const answer = await askForHooks(cli, patient);
  if (answer === undefined)
    return [note("hooks of Codex: its app-server does not say which of them it trusts", trust)];
  if (answer["error"] !== undefined) {
    const text = `codex ${cli.version} does not say which hooks it trusts; one older than 0.124 runs none`;
    return [fix(text, cli.profile.install ?? trust)];
  }
  const entries = listIn(valueIn(answer, "result", "data"));
  const faults = entries
    .flatMap((entry) => listIn(valueIn(entry, "warnings")))
    .filter((it) => String(it).includes(patient.project))
    .map((it) => fix(`Codex: ${shortLine(String(it))}`, "correct that file"));
  const hooks = entries.flatMap((entry) => listIn(valueIn(entry, "hooks"))).filter(isOwnHook);
  if (hooks.length === 0 && faults.length > 0) return faults;
  if (hooks.length === 0)
    return [fix("Codex finds no hooks of ours: it does not trust this folder", trust)];
  const skipped = hooks.filter((it) => !isRun(it)).map((it) => valueIn(it, "eventName"));
  if (skipped.length === 0) return [...faults, ok("hooks of Codex: it trusts and runs them")];
  const text = `Codex does not trust these hooks of ours, and passes over them: ${skipped.join(", ")}`;
  return [...faults, fix(text, trust)];
}

/** What the CLI's own server answers; undefined where it gives no answer in time. */
async function askForHooks({ profile, program }: FoundCli, { environment, project }: Patient) {
  if (program === undefined) return undefined;
  const clientInfo = { name: "consulta", version: packVersion };
  const requests = [
    { id: 1, method: "initialize", params: { clientInfo } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [project] } },
  ];
  let answer: Record<string, unknown> | undefined;
  const talk: Talk = async (to, from, signal) => {
    to.write(requests.map((it) => `${JSON.stringify(it)}\n`).join(""));
    for await (const line of createInterface({ input: from, signal })) {
      answer = parseJsonObject(line);
      if (answer?.["id"] === 2) return;
    }
    answer = undefined;
  };
  await askCli(profile, program, environment, project, {
    words: ["app-server"],
    input: talk,
    timeoutMs: answerMs,
  });
  return answer;
}

function isRun(hook: unknown): boolean {
  const { enabled, trustStatus } = isRecord(hook) ? hook : {};
  return enabled !== false && (trustStatus === "trusted" || trustStatus === "managed");
}
