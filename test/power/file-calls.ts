import assert from "node:assert/strict";
import { dirname, join, resolve } from "node:path";

/** One call that changes files, or makes a change last. Paths are relative to the recorded folder. */
export type FileCall =
  | { readonly call: "create" | "sync" | "unlink" | "mkdir"; readonly path: string }
  | { readonly call: "truncate"; readonly path: string; readonly size: number }
  | {
      readonly call: "write";
      readonly path: string;
      readonly offset: number | "end";
      readonly bytes: Buffer;
    }
  | { readonly call: "link" | "rename"; readonly path: string; readonly to: string };

/** What strace has to record. Calls that nobody here makes are recorded to fail over them. */
export const recordedCalls = [
  "openat open creat close write pwrite64 writev pwritev fsync fdatasync ftruncate truncate",
  "link linkat unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir symlink symlinkat",
  "copy_file_range sendfile fallocate",
]
  .join(" ")
  .split(" ")
  .map((name) => `?${name}`)
  .join(",");

/** The calls in `folder` of what `strace -f -y -xx` has written, in the order in which they ended. */
export function parseFileCalls(trace: string, folder: string): FileCall[] {
  const positions = new Map<string, number | "end">();
  const held = new Map<string, string>();
  return wholeCalls(trace).flatMap(([thread, line]) => {
    const parsed = /^(\w+)\((.*)\) += (-?\d+|\?)(?:<([^>]*)>)?/.exec(line);
    if (parsed === null) return [];
    const [, name = "", words = "", result = "", opened] = parsed;
    if (result === "?" || result.startsWith("-")) return [];
    const call = new TracedCall(name, words, Number(result), (file) =>
      held.get(`${thread} ${file}`),
    );
    if (opened !== undefined) held.set(`${thread} ${result}`, text(opened));
    if (!call.paths().some((path) => isWithin(folder, path))) return [];
    return toFileCalls(call, thread, positions).map((it) => relativeTo(folder, it));
  });
}

/** Lines of calls that other threads interrupt come in two parts. */
function wholeCalls(trace: string): [thread: string, line: string][] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((text): [string, string][] => {
    const [, thread = "", line = ""] = /^(\d+) +(.*)$/.exec(text) ?? [];
    if (line.endsWith("<unfinished ...>")) {
      begun.set(thread, line.slice(0, -"<unfinished ...>".length).trimEnd());
      return [];
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(line);
    if (resumed === null) return [[thread, line]];
    const whole = `${begun.get(thread) ?? ""}${resumed[1]}`;
    return [[thread, whole]];
  });
}

class TracedCall {
  readonly name: string;
  readonly words: string;
  readonly result: number;
  readonly #folderOf: (file: number) => string | undefined;

  constructor(
    name: string,
    words: string,
    result: number,
    folderOf: (file: number) => string | undefined,
  ) {
    this.name = name;
    this.words = words;
    this.result = result;
    this.#folderOf = folderOf;
  }

  /** The named paths, resolved against the folder that a descriptor in front names. */
  paths(): string[] {
    const named = [...this.words.matchAll(/(?:AT_FDCWD<([^>]*)>, )?"((?:\\x[0-9a-f]{2})*)"/g)];
    const isNaming = !/^(?:p?writev?|pwrite64|close|fsync|fdatasync|ftruncate)$/.test(this.name);
    const paths = named.map(([, at = "", path = ""]) => resolve(`/${text(at)}`, text(path)));
    return isNaming ? paths.map((path) => this.#realPath(path)) : [this.file()];
  }

  /** Scripts name files below a folder that they hold open. */
  #realPath(path: string): string {
    const [, file, rest = ""] = /^\/proc\/(?:self|\d+)\/fd\/(\d+)(\/.*)?$/.exec(path) ?? [];
    if (file === undefined) return path;
    const folder = this.#folderOf(Number(file));
    return `${folder ?? assert.fail(`${this.name} names ${path}, which nobody opened`)}${rest}`;
  }

  /** The path of the descriptor that comes first. */
  file(): string {
    return text(/^\d+<([^>]*)>/.exec(this.words)?.[1] ?? "");
  }

  get descriptor(): number {
    return Number.parseInt(this.words, 10);
  }

  bytes(): Buffer {
    const [, hex = ""] = /"((?:\\x[0-9a-f]{2})*)"/.exec(this.words) ?? [];
    return Buffer.from(hex.replaceAll("\\x", ""), "hex");
  }

  last(): number {
    return Number(/(\d+)$/.exec(this.words)?.[1]);
  }
}

function text(hex: string): string {
  return hex.replace(/(?:\\x[0-9a-f]{2})+/g, (it) =>
    Buffer.from(it.replaceAll("\\x", ""), "hex").toString("utf8"),
  );
}

function toFileCalls(
  call: TracedCall,
  thread: string,
  positions: Map<string, number | "end">,
): FileCall[] {
  const [path = "", to = ""] = call.paths();
  switch (call.name) {
    case "openat":
      positions.set(`${call.result} ${path}`, call.words.includes("O_APPEND") ? "end" : 0);
      return [
        ...(call.words.includes("O_CREAT") ? [{ call: "create", path } as const] : []),
        ...(call.words.includes("O_TRUNC") ? [{ call: "truncate", path, size: 0 } as const] : []),
      ];
    case "close":
      return [];
    case "pwrite64":
      return [{ call: "write", path, offset: call.last(), bytes: written(call) }];
    case "write": {
      const key = `${call.descriptor} ${path}`;
      const offset = positions.get(key) ?? assert.fail(`${thread} writes to ${path} unopened`);
      if (offset !== "end") positions.set(key, offset + call.result);
      return [{ call: "write", path, offset, bytes: written(call) }];
    }
    case "fsync":
    case "fdatasync":
      return [{ call: "sync", path }];
    case "ftruncate":
      return [{ call: "truncate", path, size: call.last() }];
    case "link":
    case "linkat":
      return [{ call: "link", path, to }];
    case "rename":
    case "renameat":
    case "renameat2":
      return [{ call: "rename", path, to }];
    case "unlink":
    case "unlinkat":
    case "rmdir":
      return [{ call: "unlink", path }];
    case "mkdir":
    case "mkdirat":
      return [{ call: "mkdir", path }];
    default:
      return assert.fail(`the model does not know ${call.name}(${call.words.slice(0, 200)}`);
  }
}

function written(call: TracedCall): Buffer {
  const bytes = call.bytes();
  assert(bytes.length >= call.result, `strace cut off a write to ${call.file()}`);
  return bytes.subarray(0, call.result);
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function relativeTo(folder: string, call: FileCall): FileCall {
  const near = (path: string) => (path === folder ? "" : path.slice(folder.length + 1));
  return "to" in call
    ? { ...call, path: near(call.path), to: near(call.to) }
    : { ...call, path: near(call.path) };
}

/** What a program does that writes a file whole and syncs nothing, as editors and agents do. */
export function plainWrite(path: string, content: string): FileCall[] {
  const folders: FileCall[] = [];
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    folders.unshift({ call: "mkdir", path: join(folder) });
  }
  return [
    ...folders,
    { call: "create", path },
    { call: "truncate", path, size: 0 },
    { call: "write", path, offset: 0, bytes: Buffer.from(content) },
  ];
}
