import { exitCodes, refused } from "../base/errors.ts";
import { type Arguments, optionName, type ScriptSpec } from "../script/arguments.ts";
import { kindNamed, type Opener, openersOfKinds } from "../session/kinds.ts";
import { runInProject } from "../session/run-in-project.ts";
import { common, storeOptions } from "../session/session-options.ts";
import { registerCli } from "../wake/register-cli.ts";

type Openers = Readonly<Record<string, Opener>>;

function specFor(openers: readonly Opener[]): ScriptSpec {
  const opens = openers.map((it) => it.opens).join(", ");
  return {
    name: "init",
    summary: `Open a session: ${opens.replace(/, (?=[^,]*$)/, ", or ")}.`,
    positionals: openers.flatMap(({ positionals = [] }) => positionals),
    options: [
      ...openers.flatMap(({ options }) => options),
      {
        flags: "--session <id>",
        text: "name of the session (default: made from the topic or objective)",
      },
      common.workspace,
      ...storeOptions,
      common.json,
    ],
    ownExitCodes: [
      ...openers.flatMap(({ ownExitCodes = [] }) => ownExitCodes),
      {
        exit: exitCodes.EXISTS,
        failures: ["EXISTS"],
        advice: "exists: join a session with next-action, a board with register",
      },
    ],
    notes: openers.flatMap(({ notes }) => notes),
  };
}

// Each kind brings its own options and texts: `init` itself knows no kind.
openersOfKinds().then((openers) =>
  runInProject(specFor(Object.values(openers)), (args) => open(args, openers)),
);

async function open(args: Arguments, openers: Openers): Promise<number | undefined> {
  const opener = openerFor(args, Object.values(openers));
  await refuseForeignOptions(args, opener, openers);
  return opener.open(args, registerCli);
}

/**
 * The kind that the command line asks for, by a positional word or by the option of that kind.
 * @throws ConsultaError REFUSED when it asks for none, or for more than one.
 */
function openerFor(args: Arguments, openers: readonly Opener[]): Opener {
  const byWord = openers.find(({ positionals }) => positionals && args.positionals.length > 0);
  if (byWord !== undefined) return byWord;
  const asked = openers.filter(({ key }) => key !== undefined && args.has(key));
  const [only, second] = asked;
  if (only !== undefined && second === undefined) return only;
  const given = asked.map(({ key }) => `--${key}`).join(" and ");
  const keys = openers.flatMap(({ key }) => (key === undefined ? [] : `--${key}`));
  const ways = openers.map(({ askedBy }) => askedBy).join(", ");
  const what = given === "" ? `missing ${keys.join(" or ")}` : `got ${given}, expected one of them`;
  throw refused(`${what}; ${ways}`);
}

/** @throws ConsultaError REFUSED for an option that only another kind takes. */
async function refuseForeignOptions(
  args: Arguments,
  opener: Opener,
  openers: Openers,
): Promise<void> {
  const [word] = args.positionals;
  if (opener.positionals !== undefined) {
    const allowed = [...opener.options, ...storeOptions, common.json].map(optionName);
    const { options } = specFor(Object.values(openers));
    const stray = options.map(optionName).find((name) => args.has(name) && !allowed.includes(name));
    const way = `leave it out, or leave out ${word}`;
    if (stray !== undefined)
      throw await strayFault(openers, opener, `--${stray} does not belong to`, way);
  } else {
    for (const it of Object.values(openers)) {
      const stray = it === opener ? undefined : it.own?.find((name) => args.has(name));
      if (stray !== undefined)
        throw await strayFault(openers, it, `--${stray} belongs to`, "leave it out");
    }
  }
}

async function strayFault(openers: Openers, opener: Opener, fault: string, way: string) {
  const kind = Object.keys(openers).find((name) => openers[name] === opener);
  const called = (await kindNamed(kind))?.traits.called ?? "another kind";
  return refused(`${fault} ${called}; ${way}`);
}
