import { ConsultaError, refused } from "../base/errors.ts";
import { readNotify } from "../clis/user-settings.ts";
import { type ScriptSpec, wholeNumberOf } from "../script/arguments.ts";
import { print, printLines } from "../script/output.ts";
import { keepFailure, notifyOf, runNotify } from "../session/notify.ts";
import { openSession } from "../session/open.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { standingOf } from "../session/session.ts";
import { common } from "../session/session-options.ts";
import { folderAsked, onlyPlace } from "../session/which-session.ts";

const spec: ScriptSpec = {
  name: "notify",
  summary: "Call the user with their own command: a session waits for them, or has ended.",
  options: [
    common.only,
    common.folder,
    { flags: "--seq <n>", text: "the event that brought the news; each is told once" },
    { flags: "--test", text: "run the command with a sample, to see that it works" },
    common.workspace,
  ],
  notes: [
    "Scripts start it by themselves when an event brings such news. The command is notify in",
    "~/.consulta/config.yaml, as [notify-send]: a title and a text come as its last two arguments, or",
    "where it says {title} and {text}. It has 10 seconds; why the last one failed says doctor.",
  ],
};

runInProject(spec, async (args) => {
  if (args.has("test")) return test();
  const place = folderAsked(args) ?? onlyPlace(args);
  try {
    const standing = standingOf(await openSession(place));
    const why = await notifyOf(place, standing, wholeNumberOf(args, "seq") ?? standing.seq);
    printLines(why === undefined ? "called" : `not called: ${why}`);
  } catch (cause) {
    if (cause instanceof ConsultaError) keepFailure(cause);
    throw cause;
  }
  return undefined;
});

async function test(): Promise<undefined> {
  await refuseBelowCli("notify --test runs a program of the user's");
  const argv = await readNotify(process.env);
  if (argv.length === 0)
    throw refused(
      "there is no notify in ~/.consulta/config.yaml; write one, such as: notify: [notify-send]",
    );
  await runNotify(argv, "Consulta: this is a test", "A session that waits for you looks so.");
  print("called\n");
}
