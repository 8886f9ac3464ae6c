import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledFixture } from "../bundled-fixture.ts";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeCertificates } from "./certificates.ts";

const address = "127.0.0.1";

/** A way to a bare repository, and what a clone has to know to go it. */
export interface Way {
  readonly url: string;
  readonly settings: readonly string[];
  readonly stop: () => unknown;
  readonly server?: ChildProcess;
}

export function byFile(host: string): Way {
  return { url: host, settings: [], stop: () => undefined };
}

/** What a server of `git-http.fixture.ts` does. */
export interface ServerOptions {
  /** `user:password`; without it everybody is let in. */
  readonly password?: string;
  /** One of so many pushes is killed, at most so long after it began. */
  readonly killEach?: number;
  readonly killAfterMs?: number;
  readonly address?: string;
  /** Their files; without them it speaks plain HTTP. */
  readonly certificates?: { readonly key: string; readonly cert: string };
}

export async function byHttp(host: string, options: ServerOptions = {}): Promise<Way> {
  const { password = "", certificates } = options;
  const words = [dirname(host), JSON.stringify({ ...options, address })];
  const program = bundledFixture("test/remote/git-http.fixture.ts");
  const server = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = await once(server.stdout, "data");
  // Nobody need listen.
  server.stdout.resume();
  const [port] = String(printed).split("\n");
  const scheme = certificates === undefined ? "http" : "https";
  const [user = "", word = ""] = password.split(":");
  const helper = `!f() { echo username=${user}; echo password=${word}; }; f`;
  const settings = password === "" ? [] : [`credential.helper=${helper}`];
  const url = `${scheme}://${address}:${port}/${basename(host)}`;
  return { url, settings, stop: () => server.kill(), server };
}

export const hasOpenssl = isInstalled("openssl", spawnSync("openssl", ["version"]).status === 0);

/** The same with TLS, by certificates that a CA of its own signed. */
export async function byHttps(host: string, options: ServerOptions = {}) {
  const { ca, ...certificates } = makeCertificates(makeScratchFolder(), [address]);
  const way = await byHttp(host, { ...options, certificates });
  // It would count in place of what the users set.
  const { GIT_SSL_CAINFO: trusted } = process.env;
  delete process.env["GIT_SSL_CAINFO"];
  const stop = () => {
    way.stop();
    if (trusted !== undefined) process.env["GIT_SSL_CAINFO"] = trusted;
  };
  return { ...way, settings: [...way.settings, `http.sslCAInfo=${ca}`], stop };
}

const sshd = "/usr/sbin/sshd";
export const hasSshd = isInstalled("sshd", existsSync(sshd));

/** With more lines of its settings: by itself it does not hear which protocol a client speaks. */
export async function bySsh(host: string, more: readonly string[] = []): Promise<Way> {
  const folder = makeScratchFolder();
  const file = (name: string) => join(folder, name);
  for (const name of ["host", "user"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(name)]);
  execFileSync("cp", [file("user.pub"), file("authorized")]);
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    `ListenAddress ${address}`,
    `HostKey ${file("host")}`,
    `AuthorizedKeysFile ${file("authorized")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    `PidFile ${file("pid")}`,
    ...more,
  ];
  writeFileSync(file("config"), `${lines.join("\n")}\n`);
  const words = ["-D", "-e", "-f", file("config")];
  const running = spawn(sshd, words, { stdio: "ignore" });
  const key = execFileSync("cut", ["-d", " ", "-f", "1,2", file("host.pub")])
    .toString()
    .trim();
  writeFileSync(file("known"), `[${address}]:${port} ${key}\n`);
  await untilOpen(port);
  const command = `ssh -i ${file("user")} -o IdentitiesOnly=yes -o UserKnownHostsFile=${file("known")} -F none`;
  return {
    url: `ssh://${userInfo().username}@${address}:${port}${host}`,
    settings: [`core.sshCommand=${command}`],
    stop: () => running.kill(),
  };
}

/** Waits until somebody listens. */
async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const words = ["-c", `: </dev/tcp/${address}/${port}`];
    if (spawnSync("bash", words, { stdio: "ignore" }).status === 0) return;
    await sleep(50);
  }
  throw new Error(`nobody listens at ${port}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
