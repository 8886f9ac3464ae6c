/** A headless CLI that answers as its first word says; it notes what it was given. */
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";

const [mode = "", notes = ""] = process.argv.slice(2);
const input = readFileSync(0, "utf8");
const { CONSULTA_BRAIN_CHILD: child, CLAUDECODE: claude, MINE: mine } = process.env;
const marks = [child, claude, mine];
appendFileSync(
  notes,
  `${JSON.stringify({ input, args: process.argv.slice(2), marks, cwd: process.cwd(), files: readdirSync("."), pid: process.pid })}\n`,
);

switch (mode) {
  case "gemini":
    process.stdout.write(JSON.stringify({ session_id: "s", response: " an answer ", stats: {} }));
    break;
  case "claude":
    process.stdout.write(
      `Loaded something.\n${JSON.stringify({ type: "result", is_error: false, result: "an answer" })}\n`,
    );
    break;
  case "text":
    process.stdout.write("an answer\n");
    break;
  case "auth":
    process.stdout.write(
      JSON.stringify({ session_id: "s", error: { type: "Error", message: "no key", code: 41 } }),
    );
    process.exitCode = 41;
    break;
  case "claude-error":
    process.stdout.write(JSON.stringify({ is_error: true, result: "credit is low" }));
    break;
  case "crash":
    process.stderr.write("warming up\nthe network is down\n");
    process.exitCode = 3;
    break;
  case "nothing":
    break;
  case "no-answer":
    process.stdout.write(JSON.stringify({ session_id: "s", stats: {} }));
    break;
  case "flood":
    process.stdout.write("x".repeat(10_000_000));
    break;
  case "hang": {
    // With a child that outlives it, and both deaf to a polite end.
    process.on("SIGTERM", () => undefined);
    const deaf = "process.on('SIGTERM',()=>0);setInterval(()=>0,1000)";
    const grandchild = spawn(process.execPath, ["-e", deaf], { stdio: "inherit" });
    appendFileSync(notes, `${JSON.stringify({ pid: grandchild.pid })}\n`);
    setInterval(() => undefined, 1_000);
    break;
  }
}
