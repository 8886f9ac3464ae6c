/**
 * Imitates an agent of the Agent Client Protocol, by hand: it also says what no library would. Words: a
 * file for its notes, and what to do in this call (a list, the last for all further calls).
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { lastWords } from "./scripted-peer.ts";

const [notes = "", plan = "ok"] = process.argv.slice(2);
const before = existsSync(notes) ? readFileSync(notes, "utf8").match(/^\{"call"/gm) : null;
const acts = plan.split(",");
const act = acts[before?.length ?? 0] ?? acts.at(-1) ?? "ok";
const sessionId = "conversation-1";

type Message = Record<string, unknown>;
const note = (what: Message) => appendFileSync(notes, `${JSON.stringify(what)}\n`);
const send = (message: Message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (what: Message) =>
  send({ method: "session/update", params: { sessionId, update: what } });
const chunk = (text: string, kind = "agent_message_chunk") =>
  update({ sessionUpdate: kind, content: { type: "text", text } });

note({ call: act, pid: process.pid, participant: process.env["CONSULTA_PARTICIPANT"] });
let asked: unknown;

if (act === "banner" || act === "usage") console.log("Fake Agent 1.0\n\u001b[2J{ not JSON\n[1]");
if (act === "usage") {
  console.error("error: unknown option '--acp'");
  process.exit(2);
}
if (act === "stubborn") process.on("SIGTERM", () => undefined);
if (act === "hang" || act === "stubborn") {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  note({ grandchild: true, pid: child.pid });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  note({ method: method ?? "answer", params, result });
  if (act === "mute") return;
  if (method === "initialize") initialize(id);
  if (method === "session/new" || method === "session/load") open(id, method);
  if (method === "session/set_mode")
    send(
      act === "stuck" ? { id, error: { code: -32603, message: "Not now" } } : { id, result: {} },
    );
  if (method === "session/prompt") prompted(id, params.prompt[0].text);
  if (method === "session/cancel" && act === "hang")
    send({ id: asked, result: { stopReason: "cancelled" } });
  if (method === undefined && result?.outcome !== undefined) permitted(id);
});

function initialize(id: unknown): void {
  const protocolVersion = act === "version" ? 99 : 1;
  send({ id, result: { protocolVersion, agentCapabilities: { loadSession: true } } });
}

function open(id: unknown, method: string): void {
  const data = { details: "No such conversation" };
  const error = { code: -32603, message: "Internal error", data };
  const isLoad = method === "session/load";
  if (act === "signedout")
    send({ id, error: { code: -32000, message: "Authentication required" } });
  else if (act === "nameless") send({ id, result: {} });
  else if (isLoad && act === "forgot") send({ id, error });
  else if (isLoad) {
    if (act === "late") send({ id, result: {} });
    chunk("An old question.", "user_message_chunk");
    setTimeout(() => {
      chunk("An old answer.");
      if (act !== "late") send({ id, result: {} });
    }, 50);
  } else {
    const [currentModeId, ...others] = ["auto", "yolo", "default"];
    const availableModes = [currentModeId, ...others].map((it) => ({ id: it, name: it }));
    const isDaring = act === "daring" || act === "stuck";
    send({
      id,
      result: { sessionId, ...(isDaring && { modes: { currentModeId, availableModes } }) },
    });
  }
}

/** What it asks to be permitted, one after the other. */
const wishes: readonly Message[] = [
  { kind: "execute", title: "touch x", rawInput: { command: "touch x" } },
  { kind: "edit", title: "Write x", locations: [{ path: `${process.cwd()}/x` }] },
  { kind: "read", title: "Read /etc/passwd", locations: [{ path: "/etc/passwd" }] },
  { kind: "read", title: "cat x", locations: [{ path: "x" }], rawInput: { command: ["cat"] } },
  { kind: "fetch", title: "Fetch", locations: [{ path: "x" }] },
  { kind: "read", title: "Read x", locations: [{ path: `${process.cwd()}/x` }] },
];

function wish(at: number): void {
  const toolCall = { toolCallId: `t${at}`, ...wishes[at] };
  const options = ["allow_always", "allow_once", "reject_once"].map((kind) => ({
    ...{ optionId: `${kind}-id`, name: kind, kind },
  }));
  send({
    id: `w${at}`,
    method: "session/request_permission",
    params: { sessionId, toolCall, options },
  });
}

function permitted(id: string): void {
  const next = Number(id.slice(1)) + 1;
  if (next < wishes.length) wish(next);
  else {
    chunk("Yes.");
    end();
  }
}

const end = (stopReason = "end_turn") => send({ id: asked, result: { stopReason } });
const boom = (message: string) => send({ id: asked, error: { code: -32603, message } });

/** What it does with the task of its turn; else it answers. */
const doings: Readonly<Record<string, () => unknown>> = {
  hang: () => chunk("I look."),
  stubborn: () => chunk("I look."),
  dies() {
    chunk("I had just begun.");
    console.error("boom: out of luck");
    setTimeout(() => process.exit(3), 50);
  },
  greedy: () => wish(0),
  flood() {
    for (let at = 0; at < 100; at += 1) chunk("x".repeat(100_000));
    end();
  },
  "flood-at-once": () => chunk("x".repeat(10_000_000)),
  "endless-line": () =>
    process.stdout.write(`{"jsonrpc":"2.0","method":"${"x".repeat(40_000_000)}`),
  quota: () => boom("You exceeded your current quota"),
  // As Copilot 1.0.102 does.
  "quota-said"() {
    chunk("Info: Request failed due to a transient API error. Retrying...");
    chunk("Error: Failed to get response from the AI model; retried 5 times Last error: 429 Slow");
    end();
  },
  "signedout-said"() {
    chunk("Error: Authentication failed with provider (HTTP 403).\n  Check your key.");
    end();
  },
  refusal() {
    chunk("No.");
    end("refusal");
  },
  chatter() {
    chunk("The weather is fine.");
    end();
  },
};

function prompted(id: unknown, prompt: string): void {
  asked = id;
  const doing = doings[act];
  if (doing !== undefined) {
    doing();
    return;
  }
  if (act === "unknown") makeNoise();
  setTimeout(
    () => {
      answer(prompt);
      end();
    },
    act === "late" ? 150 : 0,
  );
}

function makeNoise(): void {
  update({ sessionUpdate: "headline_of_a_newer_version", text: "1" });
  send({ method: "x/y", params: 7 });
  send({ id: null, error: { code: -32700, message: "Parse error" } });
  send({ id: "mine", method: "fs/write_text_file", params: { path: "/x", content: "" } });
}

/** In pieces, with a tool in between, as the real ones do. */
function answer(prompt: string): void {
  chunk("Hm.", "agent_thought_chunk");
  chunk("I look into ");
  chunk("it.");
  update({ sessionUpdate: "tool_call", toolCallId: "t", title: "notes.txt", kind: "read" });
  update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
  update({ sessionUpdate: "usage_update", used: 1200, size: 200_000 });
  const words = prompt.includes("YOUR TURN")
    ? lastWords(prompt, "fake", process.env["CONSULTA_FOLDER"] ?? "")
    : "Yes.";
  for (const part of words.match(/[\s\S]{1,40}/g) ?? []) chunk(part);
}
