import { spawn } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, type JsonValue } from "../../scripts-src/base/json.ts";
import { plainEnvironment } from "../log/append-loop.ts";

const dist = join(import.meta.dirname, "..", "..", "dist");
export const session = "crash";
const answerText =
  "Keep them in files: the log is one file already, and a crash test needs no server.";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/**
 * The command line of a built script in a project. Every project carries its own copy of the
 * scripts, as users' projects do: a build that runs meanwhile changes nothing.
 */
function script(name: string, project: string, ...words: string[]): string[] {
  const file = join(project, "scripts", `${name}.cjs`);
  return [file, "--workspace", project, "--session", session, ...words];
}

export function run(command: readonly string[], under: readonly string[] = []): Promise<Ended> {
  const [program = process.execPath, ...words] = [...under, process.execPath, ...command];
  const child = spawn(program, words, {
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let errors = "";
  child.stdout.on("data", (data: Buffer) => {
    out += data;
  });
  child.stderr.on("data", (data: Buffer) => {
    errors += data;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, errors })));
}

/** A project in which gemini has the turn and a REQUEST of claude that it has not taken. */
export async function makeTalk(project: string): Promise<void> {
  mkdirSync(project, { recursive: true });
  cpSync(dist, join(project, "scripts"), { recursive: true });
  const names = ["--participant", "claude", "--participant", "gemini"];
  await must(script("init", project, "--topic", "Files or SQLite?", ...names));
  const request = { type: "REQUEST", question_or_proposal: { content: "Files or SQLite?" } };
  writeFileSync(join(project, "request.json"), JSON.stringify(request));
  const answer = {
    type: "RESPONSE",
    question_or_proposal: { content: answerText },
    position: "Files.",
    confidence: 0.7,
  };
  writeFileSync(join(project, "answer.json"), JSON.stringify(answer));
  await must(sendCommand(project, "claude", "request.json"));
}

export function copyTalk(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

/** The command under test: gemini answers. */
export function answerCommand(project: string): string[] {
  return sendCommand(project, "gemini", "answer.json");
}

export function nextCommand(project: string, participant: string): string[] {
  return script("next-action", project, "--participant", participant);
}

export function validateCommand(project: string, ...words: string[]): string[] {
  return script("validate", project, ...words);
}

function sendCommand(project: string, participant: string, file: string): string[] {
  const words = ["--participant", participant, "--message", join(project, file)];
  return script("append-event", project, ...words);
}

async function must(command: string[]): Promise<void> {
  const { code, errors } = await run(command);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${errors}`);
}

/** The seqs under which the whole lines of the log hold the answer. */
export function answersIn(project: string): number[] {
  const log = readFileSync(join(project, ".consulta/sessions", session, "events.jsonl"), "utf8");
  return log.split("\n").flatMap((line) => {
    if (!line.includes(answerText)) return [];
    const event = parsed(line);
    return isRecord(event) && typeof event["seq"] === "number" ? [event["seq"]] : [];
  });
}

/** Undefined for a line that a crash has torn. */
function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

export function showsAnswer({ out }: Ended): boolean {
  return out.includes(answerText) && /message 3 from your peer/.test(out);
}

/** Every path below a folder with what it holds, to tell whether anything has changed. */
export function contentsOf(folder: string): Map<string, string> {
  const contents = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    contents.set(name, lstatSync(path).isFile() ? readFileSync(path, "utf8") : "folder");
  }
  return contents;
}
