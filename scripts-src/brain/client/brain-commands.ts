import { ConsultaError, exitCodes } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { defined } from "../../base/omit-undefined.ts";
import { asLine } from "../../base/visible-text.ts";
import type { Arguments } from "../../script/arguments.ts";
import { systemClock } from "../../script/clock.ts";
import { print, printError, printErrorLines } from "../../script/output.ts";
import { readInput } from "../../script/read-input.ts";
import { streamLines } from "../../script/stream-lines.ts";
import { wholeNumberOf } from "../../script/whole-number.ts";
import { readDraft, refuseFarFile } from "../../session/refuse-agents.ts";
import { frameNonce } from "../../session/text/print-next-action.ts";
import { quoteText } from "../../session/text/quotation.ts";
import { statusText } from "../brain-status-text.ts";
import { forgottenText, foundText, listText } from "../memory-as-text.ts";
import { brainLimits } from "../rules/limits.ts";
import type { ResultOf } from "../rules/open-rpc.ts";
import { refuseBrainOff, refuseForeignOptions } from "./brain-options.ts";
import { callBrain } from "./call-brain.ts";

type Command = (args: Arguments) => Promise<number | undefined>;

const commands: Readonly<Record<string, Command>> = {
  store,
  retrieve,
  search,
  process: digest,
  event: (args) => publish(args, "event"),
  suggest: (args) => publish(args, "suggestion"),
  list,
  forget,
  export: exportAll,
  import: importAll,
  status,
};

/**
 * Runs one subcommand.
 * @throws ConsultaError REFUSED for one that there is not, and where the brain is switched off.
 */
export function runBrainCommand(args: Arguments): Promise<number | undefined> {
  refuseBrainOff(args);
  const [name = ""] = args.positionals;
  const names = Object.keys(commands);
  const command = names.includes(name) ? commands[name] : undefined;
  if (command !== undefined) {
    refuseForeignOptions(args);
    return command(args);
  }
  const hint = nameHint(name, [...names, "serve"], "there are:");
  throw new ConsultaError("REFUSED", `brain ${quote(name)} is no command (${hint})`);
}

async function store(args: Arguments): Promise<undefined> {
  const { key, text } = await stored(args);
  const value: JsonValue = args.has("value-json") ? parseStrictJson(text, "the value") : text;
  const tags = args.many("tag");
  const result = await callBrain(args, "memory.store", {
    key,
    value,
    source: sourceOf(args),
    ...(tags.length > 0 ? { tags } : {}),
    ...defined({
      session: hostSession(),
      link: args.one("link"),
      if_version: wholeNumberOf(args, "if-version"),
    }),
    ...(args.has("insist") ? { insist: true } : {}),
  });
  const { version, created } = result;
  const what = created ? "new" : `version ${version}`;
  return printResult(args, result, `${asLine(`stored ${JSON.stringify(key)} (${what})`)}\n`);
}

/** The key and the value, which is a word, a file's text, or what comes on standard input. */
async function stored(args: Arguments): Promise<{ key: string; text: string }> {
  const file = args.one("file");
  const usage = file === undefined ? "store KEY VALUE" : "store KEY --file FILE";
  const [, key, given] = words(args, usage, file === undefined ? 2 : 1);
  const path = file ?? (given === "-" ? given : undefined);
  if (path === undefined) return { key, text: given };
  // Editors and shells end a text with a line break that nobody meant.
  return { key, text: (await readDraft(path, limits.messageBytes)).replace(/\r?\n$/, "") };
}

async function retrieve(args: Arguments): Promise<number | undefined> {
  const query = args.one("query");
  const usage = query === undefined ? "retrieve KEY" : "retrieve --query WORDS";
  const [, key] = words(args, usage, query === undefined ? 1 : 0);
  const given = query === undefined ? { key } : { query };
  const found = await callBrain(args, "memory.retrieve", {
    ...given,
    ...defined({ limit: wholeNumberOf(args, "limit") }),
  });
  const text = foundText(found, frameNonce());
  printResult(args, found, text ?? "");
  if (text !== undefined) return undefined;
  const where = query === undefined ? `under ${quote(key)}` : "that fits";
  printErrorLines(`nothing is kept ${where}; list shows the keys`);
  return exitCodes.NOT_YET;
}

async function search(args: Arguments): Promise<undefined> {
  const [, query] = words(args, "search QUESTION", 1);
  const answer = await callBrain(args, "research.search", { query });
  return printResult(args, answer, answerText(answer));
}

async function digest(args: Arguments): Promise<undefined> {
  const [, file] = words(args, "process FILE", 1);
  const data = await readDraft(file, brainLimits.dataBytes);
  const answer = await callBrain(args, "data.process", {
    data,
    ...defined({ instruction: args.one("instruction") }),
  });
  if (answer.chunks > 1)
    printError(`digested in ${answer.chunks} parts, then the parts together\n`);
  return printResult(args, answer, answerText(answer));
}

function answerText({ text, provider }: { text: string; provider: string }): string {
  return quoteText(`answer of ${provider}`, text, frameNonce());
}

async function publish(args: Arguments, kind: "event" | "suggestion"): Promise<undefined> {
  const [, text] = words(args, `${kind === "event" ? kind : "suggest"} TEXT`, 1);
  const result = await callBrain(args, "event.publish", {
    text: text === "-" ? readInput("-", limits.messageBytes) : text,
    kind,
    source: sourceOf(args),
    ...defined({ session: args.one("session") }),
  });
  const whom = args.one("session") ?? "whichever session comes first";
  if (result.left_out !== undefined) printErrorLines(`note: ${result.left_out} was left out of it`);
  return printResult(args, result, `${asLine(`queued as ${result.id} for ${whom}`)}\n`);
}

async function list(args: Arguments): Promise<undefined> {
  const [, prefix] = words(args, "list [PREFIX]", 1, 0);
  const page = await callBrain(args, "memory.list", {
    prefix,
    ...defined({ limit: wholeNumberOf(args, "limit"), after: args.one("after") }),
  });
  return printResult(args, page, listText(page, now()));
}

async function forget(args: Arguments): Promise<undefined> {
  const text = args.one("text");
  const usage = text === undefined ? "forget KEY" : "forget --text WORDS";
  const [, keys] = words(args, usage, text === undefined ? 1 : 0);
  const what = text === undefined ? { keys } : { text };
  const gone = await callBrain(args, "memory.forget", what);
  return printResult(args, gone, forgottenText(gone));
}

async function exportAll(args: Arguments): Promise<undefined> {
  words(args, "export", 0);
  let after: string | undefined;
  do {
    const { lines, next } = await callBrain(args, "memory.export", defined({ after }));
    for (const line of lines) print(`${line}\n`);
    after = next;
  } while (after !== undefined);
}

async function importAll(args: Arguments): Promise<undefined> {
  const [, file] = words(args, "import FILE", 1);
  if (file !== "-") await refuseFarFile(file);
  const total = { added: 0, replaced: 0, kept: 0 };
  for await (const { lines, before } of streamLines(file)) {
    const params = { lines, lines_before: before };
    const { added, replaced, kept } = await callBrain(args, "memory.import", params);
    total.added += added;
    total.replaced += replaced;
    total.kept += kept;
  }
  const { added, replaced, kept } = total;
  return printResult(args, total, `imported: ${added} added, ${replaced} replaced, ${kept} kept\n`);
}

async function status(args: Arguments): Promise<undefined> {
  words(args, "status", 0);
  const found: ResultOf<"brain.status"> = await callBrain(args, "brain.status", {});
  return printResult(args, found, statusText(found, now()));
}

function printResult(args: Arguments, result: object, text: string): undefined {
  print(args.has("json") ? `${JSON.stringify(result)}\n` : text);
}

/** For ages: people want to know how old something is. */
function now(): number {
  return Date.parse(systemClock.now());
}

/** The words of a command line, the command itself first; one that may be missing is "" then. */
function words(args: Arguments, usage: string, most: 0 | 1 | 2, least = most) {
  const count = args.positionals.length - 1;
  const [command = "", first = "", second = ""] = args.positionals;
  if (count >= least && count <= most) return [command, first, second] as const;
  throw new ConsultaError("REFUSED", `use it as: brain ${usage}; run brain --help for all`);
}

/** Who says it: the option, else the CLI that runs this, else a person. */
function sourceOf(args: Arguments): string {
  const { CLAUDECODE, GEMINI_CLI } = process.env;
  const host = CLAUDECODE !== undefined ? "claude" : GEMINI_CLI !== undefined ? "gemini" : "person";
  return args.one("source") ?? host;
}

/** The session of the CLI that runs this, where it says so. */
function hostSession(): string | undefined {
  return process.env["CLAUDE_CODE_SESSION_ID"] ?? process.env["GEMINI_SESSION_ID"];
}
