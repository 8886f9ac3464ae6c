import { dirname, resolve } from "node:path";
import { exitCodes, refused } from "../base/errors.ts";
import { auditSession } from "../consult/audit.ts";
import { makeAuditors } from "../consult/make-drivers.ts";
import { auditSummary } from "../dialogue/audit.ts";
import { systemClock } from "../script/clock.ts";
import { catchInterruption } from "../script/interruption.ts";
import { printErrorLines, printLines } from "../script/output.ts";
import { openSession } from "../session/open.ts";
import { readersProject } from "../session/place.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { lineFor } from "../session/session-commands.ts";
import { common } from "../session/session-options.ts";
import { onlyPlace } from "../session/which-session.ts";

const auditor =
  "a CLI, command:LINE or acp:COMMAND (default: one of the participants' CLIs, of another vendor than the text's where there is one)";
const none = "no audit came of it: what it says is why, and the session is where it was";
const spec = {
  name: "audit",
  summary: "Have a model that saw only the evidence read what a decision rests on.",
  options: [common.only, { flags: "--auditor <driver>", text: auditor }, common.workspace],
  ownExitCodes: [
    { exit: exitCodes.NOT_YET, failures: ["NOT_YET" as const], advice: none },
    { exit: 130, failures: [], advice: "interrupted (143: terminated): not audited" },
  ],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. It sends the question, the decision, the claims and",
    "what scripts saw for them to that CLI's vendor, in one request. Two audits of a session at most.",
    "Example: audit --session sqlite-or-files --auditor codex",
  ],
};

runInProject(spec, async (args) => {
  await refuseBelowCli("audit starts an AI CLI and sends it what a decision rests on");
  const asked = args.one("auditor");
  if (asked === "none")
    throw refused("--auditor is none, and none audits; name a CLI, or leave it out");
  const place = onlyPlace(args);
  const { participants } = standingOf(await openSession(place));
  const projects = [process.cwd(), readersProject(place)];
  const where = { environment: process.env, projects, person: undefined, refuseBelowCli };
  const auditors = await makeAuditors(asked, participants, where);
  const interruption = catchInterruption();
  const audited = await auditSession(
    place,
    {
      auditors: { ...auditors, driverOf: (name) => name },
      scripts: resolve(dirname(process.argv[1] ?? ".")),
      ...{ clock: systemClock, timeoutMs: 0, tell: printErrorLines },
    },
    interruption.signal,
  ).finally(() => interruption.release());
  if ("fault" in audited) {
    const way = "another one: --auditor NAME";
    printErrorLines(`not audited: ${audited.fault}. The session is where it was; ${way}`);
    return interruption.exitCode() ?? exitCodes.NOT_YET;
  }
  printLines(auditSummary(audited.record), "its report:", lineFor(args, "report", place));
  return undefined;
});
