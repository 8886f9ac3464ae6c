/**
 * A thread that runs compiled scripts one after another, each as a process of its own would see it: its
 * command line, environment, standard input and modules, none of which a script before it has touched.
 */
import fs from "node:fs";
import { Module } from "node:module";
import { join } from "node:path";
import tty from "node:tty";
import vm from "node:vm";
import { type MessagePort, workerData } from "node:worker_threads";
import type { Asked, Ended } from "./script-host.ts";

const { signal, dist, port }: { signal: Int32Array; dist: string; port: MessagePort } = workerData;
const nodeRequire = Module.createRequire(join(dist, "host.cjs"));
const bundles = new Map<string, vm.Script>();
/** Compiled once, whoever runs it. */
function bundleIn(folder: string): vm.Script {
  const filename = join(folder, "consulta.cjs");
  const known = bundles.get(filename);
  if (known !== undefined) return known;
  const script = new vm.Script(fs.readFileSync(filename, "latin1"), { filename });
  bundles.set(filename, script);
  return script;
}

/** What a script has read and written so far, and how it ended. */
class Run {
  readonly #printed: Buffer[][] = [[], [], []];
  #input: Buffer;
  #hasEnded = false;

  constructor(input: string) {
    this.#input = Buffer.from(input);
  }

  end(code: number): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const [, stdout = "", stderr = ""] = this.#printed.map((it) => Buffer.concat(it).toString());
    port.postMessage({ code, stdout, stderr } satisfies Ended);
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  }

  fail(error: unknown): void {
    this.#write(2, Buffer.from(String(error instanceof Error ? error.stack : error)));
    this.end(1);
  }

  #write(file: number, bytes: Uint8Array): number {
    if (!this.#hasEnded) this.#printed[file]?.push(Buffer.from(bytes));
    return bytes.length;
  }

  /** node:fs, whose first three files are this run's. */
  get files(): object {
    const { writeSync, readSync, fstatSync } = fs;
    return {
      ...fs,
      writeSync: (...[file, bytes, ...rest]: [number, Uint8Array, ...number[]]) => {
        const [from = 0, length = bytes.length - from] = rest;
        if (file === 1 || file === 2) return this.#write(file, bytes.subarray(from, from + length));
        return Reflect.apply(writeSync, fs, [file, bytes, ...rest]);
      },
      readSync: (...[file, bytes, from, length, ...rest]: [number, Buffer, number, number]) => {
        if (file !== 0) return Reflect.apply(readSync, fs, [file, bytes, from, length, ...rest]);
        const count = this.#input.copy(bytes, from, 0, length);
        this.#input = this.#input.subarray(count);
        return count;
      },
      fstatSync: (...[file, ...rest]: [number]) => {
        if (file !== 0) return Reflect.apply(fstatSync, fs, [file, ...rest]);
        const no = () => false;
        return { size: 0, isFile: no, isDirectory: no, isCharacterDevice: no };
      },
    };
  }
}

let current: Run | undefined;
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => current?.fail(error));
// A script that has waited long ends in another way.
Object.defineProperty(process, "uptime", { value: () => 0 });
const ownParent = process.ppid;
let parent = ownParent;
// Node's own property does not let itself be replaced, but be removed.
Reflect.deleteProperty(process, "ppid");
Object.defineProperty(process, "ppid", { get: () => parent });
const leave = (code = 0) => current?.end(Number(code));
Object.defineProperty(process, "exit", { value: leave });

port.on("message", ({ script, args, input, environment, scripts: folder, ...more }: Asked) => {
  parent = more.parent ?? ownParent;
  const run = new Run(input);
  current = run;
  const place = folder ?? dist;
  process.argv = [process.execPath, join(place, `${script}.cjs`), ...args];
  process.env = { ...environment };
  const replaced: Record<string, object> = {
    "node:fs": run.files,
    "node:tty": { ...tty, isatty: () => false },
  };
  const load = (id: string): unknown => replaced[id] ?? nodeRequire(id);
  const module: { exports: Record<string, () => void> } = { exports: {} };
  try {
    bundleIn(place).runInThisContext()(module, load);
    module.exports[script]?.();
  } catch (error) {
    run.fail(error);
  }
});
