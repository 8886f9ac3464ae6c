import { type ConsultaError, refused } from "../base/errors.ts";
import type { Arguments, ScriptSpec } from "../script/arguments.ts";
import { systemClock } from "../script/clock.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { readReport } from "../session/make-report.ts";
import { openSession } from "../session/open.ts";
import { type Place, readersProject } from "../session/place.ts";
import { runInProject } from "../session/run-in-project.ts";
import { checkCommands } from "../session/session-commands.ts";
import { common } from "../session/session-options.ts";
import { changedReport, keepReport } from "../session/tampering.ts";
import { adrText, reportText } from "../session/text/report-text.ts";
import { folderAsked, onlyPlace } from "../session/which-session.ts";
import { keepExportedPage } from "../view/exported-page.tsx";

const spec: ScriptSpec = {
  name: "report",
  summary: "Print the user report of a session and keep it among the session's artifacts.",
  options: [
    common.only,
    common.folder,
    { flags: "--delivery", text: "also how each message came to its recipient" },
    { flags: "--adr", text: "print the decision as a record in the form of MADR 4 instead" },
    { flags: "--html", text: "write one file to send, which needs no network, and print its path" },
    common.workspace,
    common.json,
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

runInProject(spec, async (args) => {
  const place = placeFor(args);
  if (args.has("html")) {
    printLines(await keepExportedPage(place, systemClock));
    return undefined;
  }
  const read = await readReport(place, readersProject(place), systemClock, args.has("delivery"));
  if (args.has("json")) {
    print(`${JSON.stringify(read)}\n`);
    return undefined;
  }
  const commands = checkCommands(args, place, read.kind);
  if (args.has("adr")) {
    const { record, title } = read.report;
    if (record === undefined) throw noRecord(place);
    print(adrText(title, record, commands.replay ?? commands.validate));
    return undefined;
  }
  const text = reportText(read, commands);
  print(text);
  const session = await openSession(place);
  const rewritten = await changedReport(session);
  printErrorLines(...rewritten.map((line) => `${line}: it is replaced`));
  printErrorLines(`kept as ${await keepReport(session, text)}`);
  return undefined;
});

function noRecord({ id }: Place): ConsultaError {
  const reason = `${id} has no decision to record: it is open, was closed, or is no dialogue`;
  return refused(`${reason}; report without --adr says where it stands`);
}

function placeFor(args: Arguments): Place {
  return folderAsked(args) ?? onlyPlace(args);
}
