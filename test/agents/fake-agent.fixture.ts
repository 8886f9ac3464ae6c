/**
 * Imitates `claude -p --output-format json`, `gemini -o json` and a `command:` participant. Takes
 * what to do in this call from FAKE_<NAME> (a list, one word a call, the last for all further
 * calls), and notes every call in the file FAKE_LOG.
 */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [name = "", ...args] = process.argv.slice(2);
const log = process.env["FAKE_LOG"] ?? "";
const prompt = readFileSync(0, "utf8");
const before = readFileSync(log, "utf8")
  .split("\n")
  .filter((line) => line.includes(`"name":"${name}"`));
const plan = (process.env[`FAKE_${name.toUpperCase()}`] ?? "ok").split(",");
const act = plan[before.length] ?? plan.at(-1) ?? "ok";
const { CLAUDECODE, GEMINI_CLI, CONSULTA_SESSION, CONSULTA_PARTICIPANT } = process.env;
const environment = { CLAUDECODE, GEMINI_CLI, CONSULTA_SESSION, CONSULTA_PARTICIPANT };
appendFileSync(
  log,
  `${JSON.stringify({ name, act, args, environment, prompt, pid: process.pid })}\n`,
);

const draft = JSON.parse(/^ *(\{"type":"[A-Z_]+".*\})$/m.exec(prompt)?.[1] ?? "{}");
const type = draft.type === "EVALUATE" ? "AGREE" : draft.type;
const content = `${name} says ${type} in call ${before.length + 1}`;
const good = {
  type,
  question_or_proposal: { content },
  ...(type === "CONSENSUS" ? {} : { confidence: 0.9 }),
};
const block = (message: object) =>
  `My answer.\n\n\`\`\`json\n${JSON.stringify(message, undefined, 2)}\n\`\`\`\n`;

function answer(text: string): void {
  const session_id = `${name}-conversation`;
  if (name === "claude")
    console.log(JSON.stringify({ type: "result", is_error: false, result: text, session_id }));
  else if (name === "gemini")
    console.log(JSON.stringify({ session_id, response: text, stats: {} }, undefined, 2));
  else console.log(text);
}

switch (act) {
  case "ok":
    answer(block(good));
    break;
  case "bare":
    answer(`Here it is: ${JSON.stringify(good)} and that is all { really }.`);
    break;
  case "yaml":
    answer(
      `\`\`\`yaml\ntype: ${type}\nconfidence: 0.9\nquestion_or_proposal:\n  content: ${content}\n\`\`\``,
    );
    break;
  case "append": {
    const script = join(process.env["CONSULTA_SCRIPTS"] ?? "", "append-event.cjs");
    execFileSync(process.execPath, [script, "--message", "-"], { input: JSON.stringify(good) });
    answer("I have sent it myself.");
    break;
  }
  case "inbox": {
    // As a colleague with the original files does it: a file into the other's inbox, by hand.
    const to = /You and (\S+) work/.exec(prompt)?.[1] ?? "";
    const from = process.env["CONSULTA_PARTICIPANT"] ?? "";
    const session_id = process.env["CONSULTA_SESSION"] ?? "";
    const round = Number(/, round (\d+) of/.exec(prompt)?.[1]);
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const file = `${session_id}-${stamp}-${from}-${String(type).toLowerCase()}.json`;
    const inbox = join(".consulta", `inbox-${to}`);
    mkdirSync(inbox, { recursive: true });
    writeFileSync(join(inbox, file), JSON.stringify({ ...good, session_id, from, to, round }));
    break;
  }
  case "refused":
    answer(block({ ...good, confidence: 7 }));
    break;
  case "silent":
    break;
  case "chatter":
    answer("I would rather talk about the weather.");
    break;
  case "echo":
    answer(prompt);
    break;
  case "crash":
    answer(block(good));
    console.error("boom: out of luck");
    process.exit(3);
    break;
  case "error":
    console.log(
      JSON.stringify({ type: "result", is_error: true, result: "no credit left", session_id: "x" }),
    );
    process.exit(1);
    break;
  case "untrusted":
    process.exit(55);
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
