import assert from "node:assert/strict";
import { resolve } from "node:path";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { bundledFixture } from "./bundled-fixture.ts";

export interface Asked {
  readonly script: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the scripts lie; `dist/` unless given. */
  readonly scripts?: string | undefined;
  /** The process that it takes for the one that started it; that of this process unless given. */
  readonly parent?: number | undefined;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const timeoutMs = 120_000;

const threaded = new Set([
  ...["init", "append-event", "next-action", "validate", "status", "report", "close", "check"],
  ...["register", "post", "ready", "read-all", "profile", "journal", "advise"],
  ...["decide", "step-in", "verdict"],
]);

/** Any script may run in a thread for a test in which it is refused before it starts or waits for anything. */
export const hasThreads = process.env["CONSULTA_PROCESSES"] !== "1";

/** What starts processes of its own, or asks which one made a record. */
const startsOthers = new Set(["--run", "--claim", "--replay"]);

/**
 * Whether a script may run in a thread: what it does does not depend on the process that it runs in,
 * and a thread saves its start. With CONSULTA_PROCESSES=1 each is a process, as it is for its users.
 */
export function runsInThread(script: string, args: readonly string[]): boolean {
  if (!hasThreads) return false;
  if (args.includes("--help")) return true;
  if (!threaded.has(script)) return false;
  return script !== "check" || !args.some((word) => startsOthers.has(word));
}

let host: ScriptHost | undefined;

/** Runs a compiled script to its end in a thread of this process: its start costs a tenth of a process. */
export function runInThread(asked: Asked, folder: string): Ended {
  host ??= new ScriptHost();
  return host.run(asked, folder);
}

class ScriptHost {
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #port;

  constructor() {
    const { port1, port2: port } = new MessageChannel();
    const dist = resolve(import.meta.dirname, "../dist");
    const workerData = { signal: this.#signal, dist, port };
    const program = bundledFixture("test/script-host.fixture.ts");
    new Worker(program, { workerData, transferList: [port], execArgv: [] }).unref();
    this.#port = port1;
    this.#port.unref();
  }

  run(asked: Asked, folder: string): Ended {
    const before = process.cwd();
    // A thread cannot change it. Nothing else runs here meanwhile.
    process.chdir(folder);
    try {
      Atomics.store(this.#signal, 0, 0);
      this.#port.postMessage(asked);
      // The call that told of the end before may come only now, and wakes this wait as well.
      while (Atomics.load(this.#signal, 0) === 0) {
        const waited = Atomics.wait(this.#signal, 0, 0, timeoutMs);
        assert.notEqual(
          waited,
          "timed-out",
          `${asked.script} ${asked.args.join(" ")} does not end`,
        );
      }
    } finally {
      process.chdir(before);
    }
    const { message }: { message: Ended } = receiveMessageOnPort(this.#port) ?? assert.fail();
    return message;
  }
}
