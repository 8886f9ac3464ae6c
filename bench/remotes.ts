import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import type { LogEvent } from "../scripts-src/log/event.ts";
import type { Cursor, EventLog } from "../scripts-src/log/event-log.ts";
import { FileEventLog } from "../scripts-src/log/file-event-log.ts";
import { chainedLine } from "../scripts-src/log/log-line.ts";
import { gitHost } from "../scripts-src/remote/git/git-host.ts";
import { GitStore } from "../scripts-src/remote/git/git-store.ts";
import { namesFrom } from "../scripts-src/remote/git/session-refs.ts";
import { watchLog } from "../scripts-src/session/waiting/follow.ts";
import { EtcdCluster, noEtcd } from "../test/remote/etcd-cluster.ts";
import { makeBareRepository } from "../test/remote/git-remote.ts";
import { byFile, byHttp, bySsh, hasSshd, type Way } from "../test/remote/git-server.ts";
import { inEtcd, newMachineAt, type SharedMachine, sessionRef } from "../test/remote/machine-at.ts";
import { makeScratchFolder } from "../test/scratch-folder.ts";
import { quantile, type Section } from "./measure.ts";

/** Two views of one session, and what ends what they need. */
interface Shared {
  readonly here: EventLog;
  readonly there: EventLog;
  /** Where the other machine has its copy. */
  readonly folder: string;
  readonly stop: () => Promise<void> | void;
}

/** What an append costs, and how soon another machine has it, by where the session is kept. */
export async function measureRemotes(samples: number, events: number): Promise<Section> {
  const rows: string[][] = [];
  for (const [name, open] of places()) {
    const shared = await open();
    const { appends, notices } = await measureShared(shared, samples);
    await shared.stop();
    const shown = (all: readonly number[]) =>
      [0.5, 0.99].map((share) => quantile(all, share).toFixed(1)).join(" / ");
    rows.push([name, shown(appends), shown(notices)]);
  }
  const notes = [
    `${samples} events one after another; a second machine waits, which looks at a remote every 2 s.`,
    `${await looksAMinute(6)} looks at a git remote a minute while 6 machines wait and much happens; later a fifteenth of that.`,
    ...(await looksBesideManyRefs()),
    ...(await longSessions(events)),
  ];
  return {
    title: "Many machines: milliseconds p50 / p99, all on one computer",
    columns: ["session kept in", "append, durable", "until the other machine has it"],
    rows,
    notes,
  };
}

function* places(): Generator<[name: string, open: () => Promise<Shared>]> {
  yield ["files", async () => inFiles()];
  for (const [name, open] of gitWays())
    yield [name, async () => inGit(await open(makeBareRepository()))];
  if (noEtcd !== false) return;
  yield ["etcd, 1 member", () => inCluster(1)];
  yield ["etcd, 3 members", () => inCluster(3)];
}

function* gitWays(): Generator<[name: string, open: (host: string) => Way | Promise<Way>]> {
  yield ["git, by file", byFile];
  yield ["git, by HTTP", byHttp];
  if (hasSshd) yield ["git, by ssh", (host) => bySsh(host, ["AcceptEnv GIT_PROTOCOL"])];
}

function inFiles(): Shared {
  const folder = makeScratchFolder();
  const stop = () => undefined;
  return { here: new FileEventLog(folder), there: new FileEventLog(folder), folder, stop };
}

function inGit(way: Way): Shared {
  const { url, stop } = onTheWay(way);
  return { ...twoAt(url), stop: async () => void (await stop()) };
}

/** A way that git goes with what it has to know, until it is stopped. */
function onTheWay({ url, settings, stop }: Way): Pick<Way, "url" | "stop"> {
  const [, command] = /^core\.sshCommand=(.*)$/.exec(settings[0] ?? "") ?? [];
  if (command !== undefined) process.env["GIT_SSH_COMMAND"] = command;
  const end = () => {
    delete process.env["GIT_SSH_COMMAND"];
    return stop();
  };
  return { url, stop: end };
}

async function inCluster(members: number): Promise<Shared> {
  const cluster = await EtcdCluster.start({ members });
  const place = inEtcd(cluster.endpoints, "bench");
  const stop = () => cluster.stop();
  return { ...twoAt(place), stop };
}

function twoAt(place: string): Pick<Shared, "here" | "there" | "folder"> {
  const [one, other] = [newMachineAt(place), newMachineAt(place)];
  return { here: one.open(), there: other.open(), folder: other.folder };
}

async function measureShared({ here, there, folder }: Shared, samples: number) {
  const [appends, notices]: [number[], number[]] = [[], []];
  let cursor = await appendOne(here, here.start);
  await there.fetch();
  let known = (await there.read(there.start)).cursor;
  let told = () => undefined as undefined;
  const stopWatching = await watchLog({ place: { folder }, log: there }, () => told());
  for (let sample = 0; sample < samples; sample += 1) {
    const from = performance.now();
    cursor = await appendOne(here, cursor);
    appends.push(performance.now() - from);
    while (known.seq < cursor.seq) {
      const change = new Promise<void>((resolve) => {
        told = () => {
          resolve();
          return undefined;
        };
      });
      ({ cursor: known } = await there.read(known));
      if (known.seq < cursor.seq) await change;
    }
    notices.push(performance.now() - from);
  }
  await stopWatching();
  return { appends, notices };
}

const watchedMs = 30_000;

/** How often a git host is asked in a minute while so many machines wait, just after an event. */
async function looksAMinute(machines: number): Promise<number> {
  const url = makeBareRepository();
  const first = newMachineAt(url).open();
  await appendOne(first, first.start);
  const look = GitStore.prototype.fetch;
  let looks = 0;
  GitStore.prototype.fetch = function counted() {
    looks += 1;
    return look.call(this);
  };
  const logs = Array.from({ length: machines }, () => newMachineAt(url).open());
  const stops = await Promise.all(logs.map((log) => log.follow({ onFault: () => undefined })));
  await setTimeout(watchedMs);
  await Promise.all(stops.map((stop) => stop()));
  GitStore.prototype.fetch = look;
  return Math.round((looks * 60_000) / watchedMs);
}

const otherRefs = 10_000;
const lookRounds = 15;

/**
 * What a look at a session and a list of a remote's sessions cost where the host has many other refs, such as those of
 * pull requests, beside git alone in the same rounds: a fetch of that name, and `ls-remote`, which has all of them sent.
 * A host has each ref in a file of its own until it packs them.
 */
async function looksBesideManyRefs(): Promise<string[]> {
  const told: string[] = [];
  for (const [name, open] of gitWays()) {
    const host = makeBareRepository();
    const { url, stop } = onTheWay(await open(host));
    const machine = newMachineAt(url);
    const log = machine.open();
    await appendOne(log, log.start);
    const tip = execFileSync("git", ["-C", host, "rev-parse", sessionRef]).toString().trim();
    const numbers = Array.from({ length: otherRefs }, (_, at) => at + 1);
    const input = numbers.map((it) => `create refs/pull/${it}/head ${tip}\n`).join("");
    execFileSync("git", ["-C", host, "update-ref", "--stdin"], { input });
    const asked = await gitHost("bench", process.cwd(), { bench: url }, true);
    const alone = (...words: string[]) =>
      void spawnSync("git", ["-C", machine.repository, "-c", "gc.auto=0", ...words]);
    const calls = {
      "a look": () => log.fetch(),
      "git fetch alone": () => alone("fetch", "--no-tags", url, sessionRef),
      "a list": () => asked.sessions(),
      "git ls-remote alone": () => alone("ls-remote", url, sessionRef),
    };
    const loose = await mediansOf(calls);
    execFileSync("git", ["-C", host, "pack-refs", "--all"]);
    const packed = await mediansOf(calls);
    const shown = Object.keys(calls).map((it) => `${it} ${loose.get(it)} / ${packed.get(it)} ms`);
    const moved = [sessionRef, namesFrom("refs/consulta/")].map((it) => kilobytes(url, it));
    const sizes = `a look moves ${moved[0]} kB, a list ${moved[1]}`;
    const where = `${otherRefs} other refs, in files / packed`;
    told.push(`Beside ${where}, ${name}: ${shown.join(", ")}; ${sizes}.`);
    await stop();
  }
  return told;
}

/** How long each of these calls takes, in rounds of them all. */
async function mediansOf(
  calls: Readonly<Record<string, () => unknown>>,
): Promise<Map<string, string>> {
  const times = Object.entries(calls).map(([what, call]) => ({ what, call, ms: [] as number[] }));
  for (let round = 0; round < lookRounds; round += 1)
    for (const { call, ms } of times) {
      const from = performance.now();
      await call();
      ms.push(performance.now() - from);
    }
  return new Map(times.map(({ what, ms }) => [what, quantile(ms, 0.5).toFixed(0)]));
}

/** What git and a host tell each other in a fetch of what is here. */
function kilobytes(url: string, wanted: string): string {
  const folder = makeScratchFolder();
  const run = () =>
    spawnSync("git", ["-c", "protocol.version=2", "fetch", "--no-tags", url, wanted], {
      cwd: folder,
      env: { ...process.env, GIT_TRACE_PACKET: "1" },
      maxBuffer: 1e9,
    }).stderr.toString();
  execFileSync("git", ["init", "--quiet", "--bare", folder]);
  run();
  const sent = run().match(/ (?:fetch|git)[<>] .*/g) ?? [];
  return (sent.join("").length / 1_024).toFixed(1);
}

async function appendOne(log: EventLog, after: Cursor): Promise<Cursor> {
  const next = await log.append(after, event(after.seq + 1));
  if (next === undefined) throw new Error("nobody else writes here");
  return next;
}

function event(seq: number): LogEvent {
  const text = "A message of a sentence or two, as agents write them. ".repeat(10);
  return {
    ...{ seq, id: `bench-${seq}`, from: "ana", event: "message" },
    ...{ at: "2026-01-01T00:00:00.000Z", summary: `event ${seq}`, text },
  };
}

/** The first fetch of a long session on another machine, a whole read of its copy, and its size there. */
async function longSessions(events: number): Promise<string[]> {
  const lines: string[] = [];
  let before: Buffer | undefined;
  for (let seq = 1; seq <= events; seq += 1) {
    const line = chainedLine(event(seq), before);
    before = Buffer.from(line);
    lines.push(line);
  }
  const host = makeBareRepository();
  spawnSync("git", ["-C", host, "fast-import", "--quiet"], { input: commitsOf(lines) });
  const size = execFileSync("du", ["-sk", host]).toString().split("\t", 1)[0];
  const told = [await longSession("git, by file", newMachineAt(host), `${size} kB on the host`)];
  if (noEtcd !== false) return told;
  const cluster = await EtcdCluster.start();
  const place = inEtcd(cluster.endpoints, "bench");
  const writer = newMachineAt(place).store();
  for (const [index, line] of lines.entries()) await writer.append(index + 1, line, []);
  const status = cluster.etcdctl("endpoint", "status", "--write-out=json");
  const kilobytes = Math.round(JSON.parse(status)[0].Status.dbSize / 1_024);
  told.push(await longSession("etcd, 1 member", newMachineAt(place), `${kilobytes} kB there`));
  await cluster.stop();
  return told;
}

async function longSession(name: string, machine: SharedMachine, size: string): Promise<string> {
  const log = machine.open();
  const from = performance.now();
  await log.fetch();
  const fetched = performance.now();
  let count = 0;
  for (let cursor = log.start, more = true; more; ) {
    const page = await log.read(cursor);
    count += page.events.length;
    ({ cursor, more } = page);
  }
  const read = performance.now();
  const times = `first fetch ${Math.round(fetched - from)} ms, whole read of the copy ${Math.round(read - fetched)} ms`;
  return `${count} events, ${name}: ${times}, ${size}.`;
}

function commitsOf(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      const bytes = Buffer.byteLength(line) + 1;
      const parent = index === 0 ? "" : `from :${index}\n`;
      const head = `commit ${sessionRef}\nmark :${index + 1}\ncommitter ana <ana@localhost> 0 +0000\n`;
      return `${head}data ${bytes}\n${line}\n\n${parent}`;
    })
    .join("");
}
