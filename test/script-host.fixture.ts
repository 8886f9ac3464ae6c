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
const scripts = new Map<string, vm.Script>();
/** The text of each built file by its path: to read and decode it is a sixth of a short run. */
const texts = new Map<string, string>();

/** A script that is compiled once, whoever runs it. */
class KeptScript {
  readonly #script: vm.Script;
  readonly cachedDataRejected = false;

  constructor(source: string, { filename }: { filename: string }) {
    const known = scripts.get(source) ?? new vm.Script(source, { filename });
    scripts.set(source, known);
    this.#script = known;
  }

  runInThisContext(): unknown {
    return this.#script.runInThisContext();
  }

  createCachedData(): Buffer {
    return this.#script.createCachedData();
  }
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
    const { writeSync, readSync, fstatSync, readFileSync } = fs;
    return {
      ...fs,
      readFileSync: (...asked: [path: string, encoding?: string]) => {
        const [path, encoding] = asked;
        if (encoding !== "latin1" || !path.endsWith(".cjs"))
          return Reflect.apply(readFileSync, fs, asked);
        const text = texts.get(path) ?? readFileSync(path, encoding);
        texts.set(path, text);
        return text;
      },
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
  const file = join(place, `${script}.cjs`);
  process.argv = [process.execPath, file, ...args];
  process.env = { ...environment, NODE_DISABLE_COMPILE_CACHE: "1" };
  const replaced: Record<string, object> = {
    "node:fs": run.files,
    "node:tty": { ...tty, isatty: () => false },
    "node:vm": { ...vm, Script: KeptScript },
  };
  const load = (id: string): unknown => replaced[id] ?? nodeRequire(id);
  const launcher = fs.readFileSync(file, "utf8").replace(/^#!.*/, "");
  const words = new vm.Script(`((require, module, __dirname) => {${launcher}\n})`, {
    filename: file,
  });
  try {
    words.runInThisContext()(load, { require: load }, place);
  } catch (error) {
    run.fail(error);
  }
});
