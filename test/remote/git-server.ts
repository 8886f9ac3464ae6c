import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { bundledFixture } from "../bundled-fixture.ts";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { at, thisHost, untilOpen } from "./network.ts";

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

export interface HttpOptions {
  readonly password?: string;
  /** One of so many pushes is killed, at most so long after it began. */
  readonly killEach?: number;
  readonly killAfterMs?: number;
}

export async function byHttp(host: string, options: HttpOptions = {}): Promise<Way> {
  const { password = "", killEach = 0, killAfterMs = 0 } = options;
  const words = [dirname(host), password, String(killEach), String(killAfterMs)];
  const program = bundledFixture("test/remote/git-http.fixture.ts");
  const server = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(server.stdout, "data");
  const origin = `http://127.0.0.1:${String(port).trim()}`;
  const [user = "", word = ""] = password.split(":");
  const helper = `!f() { echo username=${user}; echo password=${word}; }; f`;
  const settings = password === "" ? [] : [`credential.helper=${helper}`];
  return { url: `${origin}/${basename(host)}`, settings, stop: () => server.kill(), server };
}

const sshd = "/usr/sbin/sshd";
export const hasSshd = isInstalled("sshd", existsSync(sshd));

export async function bySsh(host: string, server = thisHost): Promise<Way> {
  const folder = makeScratchFolder();
  const file = (name: string) => join(folder, name);
  for (const name of ["host", "user"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file(name)]);
  execFileSync("cp", [file("user.pub"), file("authorized")]);
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    `ListenAddress ${server.address}`,
    `HostKey ${file("host")}`,
    `AuthorizedKeysFile ${file("authorized")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    `PidFile ${file("pid")}`,
  ];
  writeFileSync(file("config"), `${lines.join("\n")}\n`);
  const words = ["-D", "-e", "-f", file("config")];
  const running = spawn(...at(server, sshd, words), { stdio: "ignore" });
  const key = execFileSync("cut", ["-d", " ", "-f", "1,2", file("host.pub")])
    .toString()
    .trim();
  writeFileSync(file("known"), `[${server.address}]:${port} ${key}\n`);
  await untilOpen(server, port);
  const command = `ssh -i ${file("user")} -o IdentitiesOnly=yes -o UserKnownHostsFile=${file("known")} -F none`;
  return {
    url: `ssh://${userInfo().username}@${server.address}:${port}${host}`,
    settings: [`core.sshCommand=${command}`],
    stop: () => running.kill(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
