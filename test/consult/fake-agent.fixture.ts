/**
 * Imitates the CLIs of all profiles, each in its own form, and a `command:` participant. Takes
 * what to do in this call from FAKE_<NAME> (a list, one word a call, the last for all further
 * calls), and notes every call in the file FAKE_LOG.
 */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type AuditAct,
  auditFor,
  fenced,
  isAudit,
  lastWords,
  messageFor,
} from "./scripted-peer.ts";

const [name = "", ...args] = process.argv.slice(2);
const session_id = `${name}-conversation`;
/** The request that it answers, where it speaks the Agent Client Protocol. */
let asked: unknown;
Object.assign(process.env, JSON.parse(process.env["CONSULTA_FAKE"] ?? "{}"));
const log = process.env["FAKE_LOG"] ?? "";
const isAcp = args.includes("--acp");
const planned = actOf(name);
const prompt = isAcp ? await promptOfAcp() : promptIn(readFileSync(0, "utf8"));
// Whoever audits is no participant: it has a plan and a name of its own.
const role = isAudit(prompt) ? "auditor" : name;
const { act, before } = isAudit(prompt) ? actOf(role) : planned;
const { CLAUDECODE, GEMINI_CLI, CONSULTA_SESSION, CONSULTA_PARTICIPANT } = process.env;
const environment = { CLAUDECODE, GEMINI_CLI, CONSULTA_SESSION, CONSULTA_PARTICIPANT };
appendFileSync(
  log,
  `${JSON.stringify({ name: role, cli: name, act, args, environment, prompt, pid: process.pid })}\n`,
);

const who = `${name} in call ${before + 1}`;
const good = messageFor(prompt, who);
const { type } = good;
const yamlStand = type === "AGREE" ? `accepts: ${good["accepts"]}` : "position: Files it is.";

/** What a name is to do in this call, and how many there were. */
function actOf(who: string): { act: string; before: number } {
  const lines = readFileSync(log, "utf8").split("\n");
  const before = lines.filter((it) => it.includes(`"name":"${who}"`)).length;
  const plan = (process.env[`FAKE_${who.toUpperCase()}`] ?? "ok").split(",");
  return { act: plan[before] ?? plan.at(-1) ?? "ok", before };
}

/** The task, from where this CLI is given it. */
function promptIn(input: string): string {
  const file = args.find((it) => it.endsWith("task.txt"));
  if (file !== undefined) return readFileSync(file, "utf8");
  if (name === "agy") return JSON.parse(input).message.content;
  return input === "" ? (args.find((it) => it.includes("\n")) ?? "") : input;
}

/** The same of an agent; where it is to go on in a conversation is noted among its words. */
function promptOfAcp(): Promise<string> {
  const agentCapabilities = { loadSession: true };
  return new Promise((resolve) => {
    createInterface({ input: process.stdin }).on("line", (text) => {
      const { id, method, params } = JSON.parse(text);
      const isLost = method === "session/load" && planned.act === "noresume";
      if (method === "session/load") args.push(method, params.sessionId);
      if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities } });
      if (isLost) send({ id, error: { code: -32603, message: "No conversation found" } });
      else if (/^session\/(?:new|load)$/.test(method))
        send({ id, result: { sessionId: session_id } });
      if (method !== "session/prompt") return;
      asked = id;
      resolve(params.prompt[0].text);
    });
  });
}

function send(message: object): void {
  process.stdout.write(line({ jsonrpc: "2.0", ...message }));
}

/** How an agent says it. */
function inAcp(text: string, isError: boolean, more: object): string {
  const sent = (message: object) => line({ jsonrpc: "2.0", ...message });
  const update = (what: object) =>
    sent({ method: "session/update", params: { sessionId: session_id, update: what } });
  if (isError) return sent({ id: asked, error: { code: -32603, message: text } });
  const content = { type: "text", text };
  const denied = { sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" };
  return [
    ...(Object.keys(more).length > 0 ? [update(denied)] : []),
    update({ sessionUpdate: "agent_message_chunk", content }),
    act === "crash" ? "" : sent({ id: asked, result: { stopReason: "end_turn" } }),
  ].join("");
}

/** What the CLI prints for an answer, or for an error of its model. */
function printed(text: string, isError = false, more: object = {}): string {
  if (isAcp) return inAcp(text, isError, more);
  switch (name) {
    case "claude":
      if (!args.includes("--output-format")) return `${text}\n`;
      return line({ type: "result", is_error: isError, result: text, session_id, ...more });
    case "codex":
      return [
        { type: "thread.started", thread_id: session_id },
        { type: "item.completed", item: { type: "error", message: "no such model in my list" } },
        { type: "item.completed", item: { type: "agent_message", text: "I look into it." } },
        isError
          ? { type: "turn.failed", error: { message: text } }
          : { type: "item.completed", item: { type: "agent_message", text } },
      ]
        .map(line)
        .join("");
    case "opencode":
      return isError
        ? line({ type: "error", sessionID: session_id, error: { data: { message: text } } })
        : line({ type: "step_start", sessionID: session_id, part: {} }) +
            line({ type: "text", sessionID: session_id, part: { text: "I look into it." } }) +
            line({ type: "text", sessionID: session_id, part: { text } });
    case "agy": {
      const status = isError ? "ERROR" : "SUCCESS";
      const result = { conversation_id: session_id, status, ...more };
      const said = isError ? { error: text } : { response: text };
      return line({ event: "init" }) + line({ event: "result", result: { ...result, ...said } });
    }
    default:
      return `${text}\n`;
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function answer(text: string, more: object = {}): void {
  process.stdout.write(printed(text, false, more));
}

/** Ends as the CLIs do when they refuse to begin, or their model does. */
function fail(text: string, exitCode = 1): never {
  process.stdout.write(printed(text, true));
  process.exit(exitCode);
}

switch (act) {
  case "ok":
    answer(lastWords(prompt, who, process.env["CONSULTA_FOLDER"] ?? ""));
    break;
  case "shows":
  case "doubts":
  case "invents":
  case "owner":
  case "remarks":
    answer(fenced(auditFor(prompt, act satisfies AuditAct)));
    break;
  case "claims": {
    const claims = [{ text: "The notes name SQLite.", check: "notes.md:1-1" }];
    answer(fenced(type === "RESPONSE" ? { ...good, claims } : good));
    break;
  }
  case "objects": {
    const objections = [
      { point: "not what we agreed", because: "see message 3", about: "judgement" },
    ];
    const other = { position: "SQLite it is.", accepts: undefined };
    answer(fenced({ ...good, ...other, type: "EVALUATE", acknowledged: ["short"], objections }));
    break;
  }
  case "settles":
    answer(fenced({ ...good, resolved: [{ point: "not what we agreed", because: "now it is" }] }));
    break;
  case "bare":
    answer(`Here it is: ${JSON.stringify(good)} and that is all { really }.`);
    break;
  case "quoted":
    answer(fenced(good).replace(/^/gm, "> "));
    break;
  case "yaml":
    answer(
      `\`\`\`yaml\ntype: ${type}\nconfidence: 0.9\n${yamlStand}\nquestion_or_proposal:\n  content: ${who} says ${type}\n\`\`\``,
    );
    break;
  case "append": {
    const script = join(process.env["CONSULTA_SCRIPTS"] ?? "", "append-event.cjs");
    execFileSync(process.execPath, [script, "--message", "-"], { input: JSON.stringify(good) });
    answer("I have sent it myself.");
    break;
  }
  case "inbox": {
    // As a peer with the original files does it: a file into the other's inbox, by hand.
    const from = process.env["CONSULTA_PARTICIPANT"] ?? "";
    const inboxes = readdirSync(".consulta").flatMap((it) => /^inbox-(.+)$/.exec(it)?.[1] ?? []);
    const to = inboxes.find((it) => it !== from) ?? "";
    const session_id = process.env["CONSULTA_SESSION"] ?? "";
    const round = Number(/\bround (\d+) of/.exec(prompt)?.[1]);
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const file = `${session_id}-${stamp}-${from}-${String(type).toLowerCase()}.json`;
    const inbox = join(".consulta", `inbox-${to}`);
    mkdirSync(inbox, { recursive: true });
    writeFileSync(join(inbox, file), JSON.stringify({ ...good, session_id, from, to, round }));
    if (isAcp) answer("");
    break;
  }
  case "refused":
    answer(fenced({ ...good, confidence: 7 }));
    break;
  case "silent":
    if (isAcp) send({ id: asked, result: { stopReason: "end_turn" } });
    break;
  case "chatter":
    answer("I would rather talk about the weather.");
    break;
  case "echo":
    answer(prompt);
    break;
  case "crash":
    answer(fenced(good));
    console.error("boom: out of luck");
    process.exit(3);
    break;
  case "error":
    console.log(
      JSON.stringify({ type: "result", is_error: true, result: "no credit left", session_id: "x" }),
    );
    process.exit(1);
    break;
  case "signedout":
    if (args[0] === "auth") {
      console.log(JSON.stringify({ loggedIn: false, authMethod: "none" }, undefined, 2));
      process.exit(1);
    }
    fail("Invalid API key \u00b7 Please run /login");
    break;
  case "quota":
    fail("You exceeded your current quota (429)");
    break;
  case "quota_for_2_s":
  case "quota_for_60_s":
    fail(`You've hit your usage limit. Try again in ${act.split("_")[2]} seconds.`);
    break;
  case "overloaded":
    fail("API Error: 500 the model stumbled");
    break;
  case "denied":
    answer("I would have to run a command for that.", {
      permission_denials: [{ tool_name: "Bash" }],
      denied_actions: [{ action: "command" }],
    });
    break;
  case "noresume":
    if (/resume|--session|--conversation/.test(args.join(" ")))
      fail("No conversation found with that session ID");
    answer(fenced(good));
    break;
  case "retrying":
    console.error('level=ERROR message="stream error" error="You exceeded your current quota"');
    setInterval(() => undefined, 1_000);
    break;
  case "hang": {
    // A grandchild in the same group: it must not outlive the turn either.
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      stdio: "ignore",
    });
    appendFileSync(log, `${JSON.stringify({ name: "grandchild", pid: child.pid })}\n`);
    setInterval(() => undefined, 1_000);
    break;
  }
  default:
    throw new Error(`the fake does not know ${act}`);
}
