/** Runs the command of its command line as every child is run, until somebody ends it. */
import { runProcess } from "../../scripts-src/clis/run-process.ts";

const [command = "", ...words] = process.argv.slice(2);
const bounds = { outputBytes: 1_000, errorBytes: 1_000, killAfterMs: 5_000, drainMs: 100 };
const request = { command, arguments: words, shell: false, folder: "/", input: "", timeoutMs: 0 };
await runProcess({ ...request, environment: process.env, bounds }, new AbortController().signal);
