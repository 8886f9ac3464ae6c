import { sessionIds } from "../app/session.ts";
import { repairSession, validateSession } from "../app/validate-session.ts";
import { exitCodes } from "../core/errors.ts";
import { escapeControls } from "../core/json.ts";
import { parseSessionId } from "../core/names.ts";
import type { ScriptSpec } from "../host/arguments.ts";
import { jsonOption, workspaceOf, workspaceOption } from "../host/context.ts";
import { say } from "../host/output.ts";
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
    workspaceOption,
    jsonOption,
  ],
  notes: ["Exit 0 valid, 1 valid with warnings, 2 invalid."],
};

runScript(spec, async (args) => {
  const workspace = workspaceOf(args);
  const given = args.one("session");
  const ids = given === undefined ? sessionIds(workspace) : [parseSessionId(given)];
  const findings = [];
  for (const id of ids) {
    const repaired = args.has("repair") ? await repairSession(workspace, id) : [];
    findings.push({ ...(await validateSession(workspace, id)), repaired });
  }
  const failed = findings.some(({ errors }) => errors.length > 0);
  const warned = findings.some(({ warnings }) => warnings.length > 0);
  if (args.has("json")) {
    say(`${JSON.stringify(findings)}\n`);
  } else {
    say(
      `validation ${failed ? "failed" : warned ? "passed with warnings" : "passed"} (${ids.length} sessions)\n`,
    );
    for (const { id, errors, warnings, repaired } of findings) {
      for (const line of repaired) say(`repaired: ${id}: ${escapeControls(line)}\n`);
      for (const line of errors) say(`ERROR: ${id}: ${escapeControls(line)}\n`);
      for (const line of warnings) say(`WARNING: ${id}: ${escapeControls(line)}\n`);
    }
  }
  return failed ? exitCodes.REFUSED : warned ? exitCodes.NOT_YET : exitCodes.OK;
});
