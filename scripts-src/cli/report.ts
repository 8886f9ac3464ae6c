import { type Place, placeIn } from "../app/place.ts";
import { keepReport, readReport } from "../app/read-report.ts";
import { sessionIds } from "../app/session.ts";
import { ConsultaError } from "../core/errors.ts";
import { parseSessionId } from "../core/names.ts";
import type { Arguments, ScriptSpec } from "../host/arguments.ts";
import { systemClock } from "../host/clock.ts";
import {
  folderOf,
  folderOption,
  jsonOption,
  lineFor,
  readersProject,
  workspaceOf,
  workspaceOption,
} from "../host/context.ts";
import { say, talkLines } from "../host/output.ts";
import { runScript } from "../host/run-script.ts";
import { reportText } from "../view/report-text.ts";

const spec: ScriptSpec = {
  name: "report",
  summary: "Print the user report of a session and keep it among the session's artifacts.",
  options: [
    { flags: "--session <id>", text: "the session (default: the only one)" },
    folderOption,
    workspaceOption,
    jsonOption,
  ],
  ownExitCodes: [
    {
      exit: 1,
      failures: ["NOT_YET"],
      advice:
        "printed and not kept: the kept report tells of events that the log has lost; run validate",
    },
  ],
  notes: ["Works at any time; before the end it shows what is still open."],
};

runScript(spec, async (args) => {
  const place = placeFor(args);
  const read = await readReport(place, readersProject(place), systemClock);
  if (args.has("json")) {
    say(`${JSON.stringify(read)}\n`);
    return undefined;
  }
  const text = reportText(read, lineFor(args, "validate", place));
  say(text);
  talkLines(`kept as ${await keepReport(place, text)}`);
  return undefined;
});

function placeFor(args: Arguments): Place {
  const folder = folderOf(args);
  if (folder !== undefined) return folder;
  const workspace = workspaceOf(args);
  const id = args.one("session") ?? onlySession(sessionIds(workspace));
  return placeIn(workspace, parseSessionId(id));
}

function onlySession(ids: string[]): string {
  const [only, second] = ids;
  if (only !== undefined && second === undefined) return only;
  const which =
    ids.length === 0
      ? "there is no session; run init first"
      : `give --session with one of: ${ids.join(", ")}`;
  throw new ConsultaError("REFUSED", which);
}
