import { exitCodes } from "../base/errors.ts";
import { parseSessionId } from "../base/names.ts";
import { plural } from "../base/plural.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { commandLine, givenPath } from "../script/command-line.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { kindNamed } from "../session/kinds.ts";
import { type Place, placeIn, placeToMake } from "../session/place.ts";
import { repairSessions } from "../session/repair-session.ts";
import { runInProject } from "../session/run-in-project.ts";
import { sessionIds } from "../session/session.ts";
import { common, workspaceOf } from "../session/session-options.ts";
import { type Validation, validateSessions } from "../session/validate-session.ts";
import { folderAsked } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "validate",
  summary: "Replay a session's log against every rule and compare all that was derived from it.",
  options: [
    { flags: "--session <id>", text: "the session (default: all of them)" },
    {
      flags: "--repair",
      text: "rebuild views and deliver what a crash kept back; the log is not touched",
    },
    common.folder,
    common.workspace,
    common.json,
  ],
  notes: [
    "With --folder output and exit code are those of the original; rules that it does not look at are",
    "warnings on stderr, as is a line of the log that was changed later.",
  ],
  ownExitCodes: [
    { exit: exitCodes.OK, failures: [], advice: "valid" },
    { exit: exitCodes.NOT_YET, failures: ["NOT_YET"], advice: "valid, with warnings" },
    {
      exit: exitCodes.REFUSED,
      failures: ["REFUSED", "USAGE"],
      advice: "invalid; or rejected: wrong usage or bad input",
    },
  ],
};

runInProject(spec, async (args) => {
  const places = placesOf(args);
  const found = args.has("repair")
    ? await repairSessions(places)
    : (await validateSessions(places)).map((it) => ({ ...it, repaired: [] }));
  const findings = found.map((it) => reportUnkept(it, args));
  const failed = findings.some(({ errors }) => errors.length > 0);
  const warned = findings.some(({ warnings }) => warnings.length > 0);
  if (args.has("json")) {
    print(`${JSON.stringify(findings)}\n`);
  } else {
    const verdict = failed ? "failed" : warned ? "passed with warnings" : "passed";
    // With --folder the output is the original's, to the line.
    const alone = args.has("folder");
    printLines(
      alone
        ? `${await nameOfWhat(findings[0])} validation ${verdict}`
        : `validation ${verdict} (${plural(findings.length, "session")})`,
    );
    for (const { id, errors, warnings, repaired, marks = [] } of findings) {
      const about = alone ? "" : `${id}: `;
      printLines(
        ...repaired.map((line) => `repaired: ${about}${line}`),
        ...errors.map((line) => `ERROR: ${about}${line}`),
        ...warnings.map((line) => `WARNING: ${about}${line}`),
        ...(alone ? [] : marks.map((line) => `mark: ${about}${line}`)),
      );
      if (!alone && warnings.length > 0 && !args.has("repair")) {
        const options = { workspace: givenPath(args, "workspace"), session: id };
        printLines("next, to repair what can be:", `${commandLine("validate", options)} --repair`);
      }
    }
  }
  return failed ? exitCodes.REFUSED : warned ? exitCodes.NOT_YET : exitCodes.OK;
});

/** What the verdict is about: the original's word where nobody can tell the kind. */
async function nameOfWhat(found: Validation | undefined): Promise<string> {
  return (await kindNamed(found?.kind))?.traits.validatedAs ?? "ACP";
}

/**
 * Rules that the originals do not check become warnings. With --folder they are only
 * printed on stderr, so that exit code and output stay the original's.
 */
function reportUnkept<Found extends Validation>(found: Found, args: Arguments): Found {
  const { unkept = [], warnings, marks = [] } = found;
  if (args.has("folder") && !args.has("json"))
    printErrorLines(...marks.map((line) => `mark: ${line}`));
  if (!args.has("folder")) return { ...found, warnings: [...warnings, ...unkept] };
  if (!args.has("json")) printErrorLines(...unkept.map((line) => `WARNING: ${line}`));
  return found;
}

function placesOf(args: Arguments): Place[] {
  // That there is no folder is a fault to tell like any other.
  const folder = folderAsked(args, placeToMake);
  if (folder !== undefined) return [folder];
  const workspace = workspaceOf(args);
  const given = args.one("session");
  const ids = given === undefined ? sessionIds(workspace) : [parseSessionId(given)];
  return ids.map((id) => placeIn(workspace, id));
}
