import { type Place, placeIn, placeToMake } from "../app/place.ts";
import { repairSessions } from "../app/repair-session.ts";
import { sessionIds } from "../app/session.ts";
import { validateSessions } from "../app/validate-session.ts";
import { counted } from "../core/counted.ts";
import { exitCodes } from "../core/errors.ts";
import { parseSessionId } from "../core/names.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import {
  commandLine,
  folderOf,
  folderOption,
  jsonOption,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { say, sayLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";

const spec: ScriptSpec = {
  name: "validate",
  summary: "Replay a session's log against every rule and compare all that was derived from it.",
  options: [
    { flags: "--session <id>", text: "the session (default: all of them)" },
    {
      flags: "--repair",
      text: "rebuild views and deliver what a crash kept back; the log is not touched",
    },
    folderOption,
    workspaceOption,
    jsonOption,
  ],
  ownExitCodes: [
    { exit: exitCodes.OK, failures: [], advice: "valid" },
    { exit: exitCodes.NOT_YET, failures: ["NOT_YET"], advice: "valid, with warnings" },
    {
      exit: exitCodes.REFUSED,
      failures: ["REFUSED", "USAGE"],
      advice: "invalid; or refused: wrong usage or bad input",
    },
  ],
};

runScript(spec, async (args) => {
  const places = placesOf(args);
  const findings = args.has("repair")
    ? await repairSessions(places)
    : (await validateSessions(places)).map((found) => ({ ...found, repaired: [] }));
  const failed = findings.some(({ errors }) => errors.length > 0);
  const warned = findings.some(({ warnings }) => warnings.length > 0);
  if (args.has("json")) {
    say(`${JSON.stringify(findings)}\n`);
  } else {
    const verdict = failed ? "failed" : warned ? "passed with warnings" : "passed";
    // With --folder the output is the original's, to the line.
    const alone = args.has("folder");
    sayLines(
      alone
        ? `${findings[0]?.kind === "findings" ? "board" : "ACP"} validation ${verdict}`
        : `validation ${verdict} (${counted(findings.length, "session")})`,
    );
    for (const { id, errors, warnings, repaired } of findings) {
      const about = alone ? "" : `${id}: `;
      sayLines(
        ...repaired.map((line) => `repaired: ${about}${line}`),
        ...errors.map((line) => `ERROR: ${about}${line}`),
        ...warnings.map((line) => `WARNING: ${about}${line}`),
      );
      if (!alone && warnings.length > 0 && !args.has("repair")) {
        const options = { workspace: args.one("workspace"), session: id };
        sayLines("next, to mend what can be:", `${commandLine("validate", options)} --repair`);
      }
    }
  }
  return failed ? exitCodes.REFUSED : warned ? exitCodes.NOT_YET : exitCodes.OK;
});

function placesOf(args: Arguments): Place[] {
  // That there is no folder is a fault to tell like any other.
  const folder = folderOf(args, placeToMake);
  if (folder !== undefined) return [folder];
  const workspace = workspaceOf(args);
  const given = args.one("session");
  const ids = given === undefined ? sessionIds(workspace) : [parseSessionId(given)];
  return ids.map((id) => placeIn(workspace, id));
}
