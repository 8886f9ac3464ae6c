import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A room imports from those before it only. */
export const order = [
  ...["base", "files", "log", "protocol", "dialogue", "collaboration/rules", "findings/rules"],
  ...["script", "clis", "evidence", "session", "collaboration", "findings", "notes", "remote"],
  ...["wake", "consult", "view", "pack", "brain", "cli"],
];

/** Load what kinds of sessions, and the stores that machines share, have in rooms below, by dynamic imports only. */
export const registrations: readonly string[] = ["session/kinds.ts", "session/shared-stores.ts"];

const impure =
  /from "node:|import\("node:|\bprocess\.|Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|new Promise|\basync (?:function|\(|\w+ ?(?:\(|=>))/;

/** Each mechanism, and the only files where it may be: whoever needs it calls these. */
export const homes: readonly (readonly [mechanism: RegExp, files: readonly string[]])[] = [
  [/from "chokidar"|\bfs\.watch\(/, ["files/watch-folder.ts"]],
  // A process is asked whether it runs; a command that took too long is ended with all that it began.
  [/\bprocess\.kill\(/, ["clis/is-running.ts", "clis/spawn-guarded.ts", "evidence/run-command.ts"]],
  [/\bcreateHash\(/, ["files/hash.ts", "session/read-files.ts"]],
  [/\bcreateHmac\(/, ["files/hash.ts", "brain/endpoint.ts"]],
  [/\bnew WebSocket\(/, ["brain/client/connect-brain.ts"]],
  [
    /\bopenSync\(|\bwriteFileSync\(/,
    ["files/", "evidence/git-state.ts", "script/read-input.ts", "script/launch.ts"],
  ],
  [/\bhomedir\b/, ["files/home-folder.ts"]],
  [/\bprocess\.std(?:out|err)\.write\(/, []],
  [/\bprocess\.exit\(/, ["script/"]],
  [/\bnew DatabaseSync\(/, ["brain/store/"]],
  [/\bcreateServer\(/, ["brain/", "view/view-server.ts"]],
];

type Tree = ReadonlyMap<string, string>;

interface Import {
  readonly to: string;
  readonly as: "type" | "value" | "dynamic";
}

/** What breaks the order, by file; the sources are given by their paths. */
export function faultsOf(tree: Tree): string[] {
  const imports = new Map([...tree].map(([path, text]) => [path, importsOf(path, text)]));
  const single = [...imports].flatMap(([path, all]) => [
    ...(rankOf(path) < 0 ? [`${path} is in no room of the list`] : []),
    ...(isPure(path) ? purityFaults(path, tree.get(path) ?? "", all) : []),
    ...strayMechanisms(path, tree.get(path) ?? ""),
    ...all
      .filter(({ to, as }) => rankOf(to) > rankOf(path) && !isRegistered(path, as))
      .map(({ to, as }) => `${path} imports ${to} (${as}), which is below it`),
  ]);
  const graph = [...imports].map(
    ([path, all]) =>
      [path, all.filter(({ as }) => !isRegistered(path, as)).map(({ to }) => to)] as const,
  );
  return [...single, ...cyclesOf(new Map(graph))];
}

function isRegistered(path: string, as: Import["as"]): boolean {
  return registrations.includes(path) && as === "dynamic";
}

/** Of two rooms that hold a file the inner one counts. */
function rankOf(path: string): number {
  const inner = order.findIndex((room) => room.includes("/") && path.startsWith(`${room}/`));
  return inner >= 0 ? inner : order.indexOf(path.split("/")[0] ?? "");
}

function isPure(path: string): boolean {
  return /^(?:base|protocol|dialogue)\/|\/rules\//.test(path);
}

function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function strayMechanisms(path: string, text: string): string[] {
  const code = codeOf(text);
  return homes.flatMap(([mechanism, files]) => {
    const found = mechanism.exec(code)?.[0];
    if (found === undefined || files.some((it) => path.startsWith(it))) return [];
    return [`${path} has ${found}, which is for ${files.join(", ") || "nobody"}`];
  });
}

function purityFaults(path: string, text: string, imports: readonly Import[]): string[] {
  const code = codeOf(text);
  const [found] = impure.exec(code) ?? [];
  const stray = imports.filter(({ to, as }) => as !== "type" && !isPure(to));
  return [
    ...(found === undefined ? [] : [`${path} is to be pure and holds ${found}`]),
    ...stray.map(({ to }) => `${path} is to be pure and imports ${to}`),
  ];
}

function importsOf(path: string, text: string): Import[] {
  const from =
    /^(?:import|export)( type)? ?(?:[^"';]*? from )?"(\.[^"]+\.tsx?)"|import\("(\.[^"]+\.tsx?)"\)/gm;
  return [...text.matchAll(from)].map(([, type, name, dynamic]) => ({
    to: posix.join(dirname(path), name ?? dynamic ?? ""),
    as: dynamic === undefined ? (type === undefined ? "value" : "type") : "dynamic",
  }));
}

/** Each circle once, from the first of its files that is met. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) cycles.push(`circle: ${[...way.slice(at), path].join(" -> ")}`);
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

export function readTree(root: string): Tree {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" });
  const sources = paths
    .filter((path) => /\.tsx?$/.test(path))
    .map((it) => it.replaceAll("\\", "/"));
  return new Map(sources.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}
