import assert from "node:assert/strict";
import { resolve } from "node:path";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { bundledFixture } from "./bundled-fixture.ts";

export interface Asked {
  readonly script: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const timeoutMs = 120_000;

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
