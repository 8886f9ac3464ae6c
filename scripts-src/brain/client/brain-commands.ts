import { dirname, join } from "node:path";
import { ConsultaError, exitCodes, refused } from "../../base/errors.ts";
import { type JsonValue, parseStrictJson, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { defined } from "../../base/omit-undefined.ts";
import { asLine } from "../../base/visible-text.ts";
import { cliFacts, hostClis } from "../../clis/hook-entries.ts";
import {
  type Arguments,
  type OptionSpec,
  optionName,
  wholeNumberOf,
} from "../../script/arguments.ts";
import { systemClock } from "../../script/clock.ts";
import { print, printError, printErrorLines } from "../../script/output.ts";
import { readInput, streamLines } from "../../script/read-input.ts";
import { readDraft, refuseFarFile } from "../../session/run-in-project.ts";
import { isWorkspaceThere, workspaceMade, workspaceOf } from "../../session/session-options.ts";
import { frameNonce, quoteText } from "../../session/text/quotation.ts";
import type { Workspace } from "../../session/workspace/workspace.ts";
import { statusText } from "../brain-status.ts";
import { ensureBrainFolder, spawnBrain } from "../endpoint.ts";
import { forgottenText, foundText, listText } from "../memory-as-text.ts";
import { brainLimits } from "../rules/limits.ts";
import type { NamesTo, ParamsOf, ResultOf } from "../rules/methods.ts";
import { isRpcFailure, type RpcErrorName, RpcFailure, rpcReason } from "../rules/rpc-errors.ts";
import { readUserSettings } from "../server/user-settings.ts";
import { loadSqlite } from "../store/sqlite.ts";
import {
  type BrainConnection,
  connectBrain,
  ensureRunning,
  requireSockets,
} from "./connect-brain.ts";

/** An option and the commands of `brain` that take it. */
interface BrainOption extends OptionSpec {
  readonly of: readonly string[];
}

const table: readonly BrainOption[] = [
  { of: ["retrieve"], flags: "--query <words>", text: "what fits these words, best first" },
  { of: ["retrieve", "list"], flags: "--limit <n>", text: "how many at most" },
  { of: ["list"], flags: "--after <key>", text: "the page behind this key" },
  { of: ["store"], flags: "--tag <tag>", text: "a word to find it by", many: true },
  { of: ["store"], flags: "--if-version <n>", text: "only over this version; 0: only a new key" },
  { of: ["store"], flags: "--insist", text: "though it looks like a secret" },
  { of: ["store"], flags: "--value-json", text: "the value is JSON, not text" },
  { of: ["store"], flags: "--file <file>", text: "the value is the text of this file" },
  { of: ["store"], flags: "--link <session>", text: "the Consulta session that it comes from" },
  { of: ["process"], flags: "--instruction <text>", text: "what to do with the material" },
  { of: ["forget"], flags: "--text <words>", text: "whatever holds these words" },
  { of: ["event", "suggest"], flags: "--session <id>", text: "for this session of a CLI only" },
  { of: ["store", "event", "suggest"], flags: "--source <name>", text: "who says it" },
  { of: ["serve"], flags: "--idle-minutes <n>", text: "leave when nobody came for so long (30)" },
  { of: ["serve"], flags: "--adopt", text: "take over a database made under another key" },
];

export const brainOptions: readonly OptionSpec[] = table.map(({ of, text, ...option }) => ({
  ...option,
  text: `${of.join(", ")}: ${text}`,
}));

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
  refuseMisuse(args);
  const [name = ""] = args.positionals;
  const names = Object.keys(commands);
  const command = names.includes(name) ? commands[name] : undefined;
  if (command !== undefined) return command(args);
  const hint = nameHint(name, [...names, "serve"], "there are:");
  throw refused(`brain ${quote(name)} is no command (${hint})`);
}

/**
 * @throws ConsultaError REFUSED in a project whose config switches its brain off, and for an option of another
 * command: without effect it misleads.
 */
export function refuseMisuse(args: Arguments): void {
  const workspace = isWorkspaceThere(args) ? workspaceOf(args) : undefined;
  if (workspace?.config.brain === false) {
    const reason = `this project's brain is switched off by "brain": false in ${join(workspace.root, "config.json")}`;
    throw refused(`${reason}; set it to true to use it`);
  }
  const [command = ""] = args.positionals;
  const foreign = table.find((it) => args.has(optionName(it)) && !it.of.includes(command));
  const isCommand = command === "serve" || Object.hasOwn(commands, command);
  if (foreign === undefined || !isCommand) return;
  const reason = `--${optionName(foreign)} is for ${foreign.of.join(", ")}, ${command} does not take it`;
  throw refused(`${reason}; leave it out`);
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
  const limit = wholeNumberOf(args, "limit");
  const found = await callBrain(args, "memory.retrieve", { ...given, ...defined({ limit }) });
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
  const instruction = args.one("instruction");
  const answer = await callBrain(args, "data.process", { data, ...defined({ instruction }) });
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
  const limit = wholeNumberOf(args, "limit");
  const more = defined({ limit, after: args.one("after") });
  const page = await callBrain(args, "memory.list", { prefix, ...more });
  return printResult(args, page, listText(page, now()));
}

async function forget(args: Arguments): Promise<undefined> {
  const text = args.one("text");
  const usage = text === undefined ? "forget KEY" : "forget --text WORDS";
  const [, keys] = words(args, usage, text === undefined ? 1 : 0);
  const gone = await callBrain(args, "memory.forget", text === undefined ? { keys } : { text });
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
  const found = await callBrain(args, "brain.status", {});
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
  throw refused(`use it as: brain ${usage}; run brain --help for all`);
}

/** Who says it: the option, else the CLI that runs this, else a person. */
function sourceOf(args: Arguments): string {
  return args.one("source") ?? hostClis()[0] ?? "person";
}

/** The session of the CLI that runs this, where it says so. */
function hostSession(): string | undefined {
  return Object.values(cliFacts)
    .map(({ conversation }) => process.env[conversation ?? ""])
    .find(Boolean);
}

const startMs = 10_000;
/** A delegate may take its time for every part of a long text. */
const delegateMs = 3_600_000;

/**
 * Asks the brain of the project, which is started where none runs.
 * @throws ConsultaError REFUSED or UNAVAILABLE with what the brain says.
 */
async function callBrain<N extends NamesTo<"brain">>(
  args: Arguments,
  method: N,
  params: ParamsOf<N> & object,
): Promise<ResultOf<N>> {
  const connection = await reachOrStart(await workspaceMade(args));
  try {
    const isSlow = method === "data.process" || method === "research.search";
    return await connection.ask(method, params, isSlow ? delegateMs : undefined);
  } catch (error) {
    throw asConsultaError(error);
  } finally {
    connection.close();
  }
}

async function reachOrStart({ root }: Workspace): Promise<BrainConnection> {
  const folder = ensureBrainFolder(root);
  const handlers = new Map();
  const running = await connectBrain(folder, { handlers });
  if (running !== undefined) return running;
  // Why a brain would not come up, said here: it has nobody to tell.
  await loadSqlite();
  await requireSockets();
  await readUserSettings(process.env);
  return ensureRunning(folder, { handlers, start: () => spawnBrain(dirname(root)), startMs });
}

/** Where the caller is at fault; all else may pass. */
const refusals: readonly RpcErrorName[] = [
  "INVALID_PARAMS",
  "CONFLICT",
  "SECRET",
  "ECHO",
  "TOO_LARGE",
  "SESSION_TAKEN",
];

/** What to do, where the brain's own message does not say so. */
const advice: readonly (readonly [name: RpcErrorName, way: string])[] = [
  ["CONFLICT", "retrieve it, and decide again"],
  ["BUSY", "run this again in a while"],
  ["INTERNAL", "please report it"],
];

function asConsultaError(error: unknown): unknown {
  if (!(error instanceof RpcFailure)) return error;
  const isRefused = refusals.some((name) => isRpcFailure(error, name));
  const [, way] = advice.find(([name]) => isRpcFailure(error, name)) ?? [];
  // What is wrong says enough; the wire's name for it means nothing to a person.
  const reason = isRpcFailure(error, "INVALID_PARAMS") ? rpcReason(error.error) : undefined;
  const said = reason ?? error.message;
  const text = way === undefined ? said : `${said}; ${way}`;
  return new ConsultaError(isRefused ? "REFUSED" : "UNAVAILABLE", text, { cause: error });
}
