import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled } from "../is-installed.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeCertificates } from "./certificates.ts";
import { freePort } from "./git-server.ts";

const address = "127.0.0.1";

/** Why tests of etcd cannot run here; false where they can. */
export const noEtcd =
  !isInstalled("etcd", spawnSync("etcd", ["--version"]).status === 0) &&
  "etcd is not installed (Debian: etcd-server)";

interface ClusterOptions {
  readonly members?: number;
  /** With certificates that a CA of its own signed. */
  readonly tls?: boolean;
}

interface Member {
  readonly name: string;
  readonly client: string;
  readonly peer: string;
  readonly folder: string;
  /** What it is started with beside what all are. */
  readonly words: readonly string[];
  process: ChildProcess | undefined;
}

/** A cluster on this machine, with its data in memory where there is room. */
export class EtcdCluster {
  readonly folder = makeScratchFolder();
  readonly #members: Member[] = [];
  readonly #options: ClusterOptions;

  private constructor(options: ClusterOptions) {
    this.#options = options;
  }

  static async start(options: ClusterOptions = {}): Promise<EtcdCluster> {
    const cluster = new EtcdCluster(options);
    if (options.tls === true) {
      makeCertificates(cluster.folder, [address]);
    }
    for (let index = 0; index < (options.members ?? 1); index += 1)
      cluster.#members.push(await cluster.#newMember());
    for (const index of cluster.#members.keys()) cluster.startMember(index);
    await cluster.ready();
    return cluster;
  }

  async #newMember(...words: string[]): Promise<Member> {
    const name = `m${this.#members.length}`;
    const scheme = this.#options.tls === true ? "https" : "http";
    const [client, peer] = [await freePort(), await freePort()];
    return {
      ...{ name, words, folder: join(this.folder, name), process: undefined },
      ...{ client: `${scheme}://${address}:${client}`, peer: `http://${address}:${peer}` },
    };
  }

  /** Adds one that has no vote yet, as one is that takes another's place; returns where it listens. */
  async addLearner(): Promise<string> {
    const member = await this.#newMember("--initial-cluster-state", "existing");
    const { name, peer, client } = member;
    this.etcdctl("member", "add", name, "--learner", `--peer-urls=${peer}`);
    this.#members.push(member);
    this.startMember(this.#members.length - 1);
    return client;
  }

  get endpoints(): string[] {
    return this.#members.map(({ client }) => client);
  }

  get ca(): string {
    return join(this.folder, "ca.pem");
  }

  startMember(index: number): void {
    const member = this.#members[index];
    if (member === undefined) throw new RangeError(`no member ${index}`);
    const { name, client, peer, folder, words: own } = member;
    const all = this.#members.map((it) => `${it.name}=${it.peer}`).join(",");
    const certificates =
      this.#options.tls === true
        ? ["--cert-file", join(this.folder, "cert.pem"), "--key-file", join(this.folder, "key.pem")]
        : [];
    const words = [
      ...["--name", name, "--data-dir", folder],
      ...["--listen-client-urls", client, "--advertise-client-urls", client],
      ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
      ...["--initial-cluster", all, "--heartbeat-interval", "50", "--election-timeout", "500"],
      ...certificates,
      ...own,
    ];
    member.process = spawn("etcd", words, { stdio: "ignore" });
  }

  /** Ends a member as a power cut does. */
  async killMember(index: number): Promise<void> {
    const running = this.#members[index]?.process;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, "exit");
    running.kill("SIGKILL");
    await gone;
  }

  /** A member that is there and hears nothing. */
  pause(index: number): void {
    this.#members[index]?.process?.kill("SIGSTOP");
  }

  resume(index: number): void {
    this.#members[index]?.process?.kill("SIGCONT");
  }

  /** Has each user sign in, who may do all that a session needs. */
  authenticate(...users: readonly string[]): void {
    this.etcdctl("user", "add", "root:root-secret");
    this.etcdctl("user", "grant-role", "root", "root");
    this.etcdctl("role", "add", "sessions");
    const right = ["--prefix=true", "readwrite", "consulta/"];
    this.etcdctl("role", "grant-permission", "sessions", ...right);
    for (const name of users) {
      this.etcdctl("user", "add", `${name}:${name}-secret`);
      this.etcdctl("user", "grant-role", name, "sessions");
    }
    this.etcdctl("user", "add", "eve:eve-secret");
    this.etcdctl("auth", "enable");
  }

  etcdctl(...words: readonly string[]): string {
    return this.etcdctlWith("", ...words);
  }

  /** With something to read: a value that is no text goes no other way. */
  etcdctlWith(input: string | Uint8Array, ...words: readonly string[]): string {
    const options = { env: { ...process.env, ETCDCTL_API: "3" }, input };
    return execFileSync("etcdctl", [...this.#how(), ...words], {
      ...options,
      stdio: ["pipe", "pipe", "pipe"],
    }).toString();
  }

  /** Which member leads now; -1 while none does. */
  leader(): number {
    return this.#members.findIndex(({ client }) => {
      const words = [...this.#how(client), "endpoint", "status", "--write-out=json"];
      const env = { ...process.env, ETCDCTL_API: "3" };
      const { stdout } = spawnSync("etcdctl", words, { env, encoding: "utf8" });
      const [first] = stdout === "" ? [] : JSON.parse(stdout);
      const { leader, header } = first?.Status ?? {};
      return leader !== undefined && leader === header?.member_id;
    });
  }

  async stop(): Promise<void> {
    for (const index of this.#members.keys()) await this.killMember(index);
  }

  #how(client = this.endpoints.join(",")): string[] {
    const trust = this.#options.tls === true ? ["--cacert", this.ca] : [];
    return ["--endpoints", client, "--command-timeout=3s", "--dial-timeout=2s", ...trust];
  }

  /** Waits until a member leads. */
  async ready(): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if (this.leader() >= 0) return;
      await sleep(50);
    }
    throw new Error("the cluster has no leader");
  }
}

export interface UserSettings {
  readonly user?: string;
  /** Without it the file that the settings name is missing. */
  readonly password?: string;
  readonly passwordMode?: number;
  readonly ca?: string;
  readonly endpoints: readonly string[];
}

/** Names a cluster `team` in the home of its user, as docs/machines.md says. */
export function nameCluster(home: string, settings: UserSettings): void {
  const { endpoints, user, password, ca } = settings;
  const folder = join(home, ".consulta");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = [
    ...["stores:", "  team:", `    etcd: [${endpoints.map((it) => `"${it}"`).join(", ")}]`],
    ...(user === undefined ? [] : [`    user: ${user}`, "    password_file: team.password"]),
    ...(ca === undefined ? [] : [`    ca: ${ca}`]),
  ];
  writeFileSync(join(folder, "config.yaml"), `${lines.join("\n")}\n`, { mode: 0o600 });
  const file = join(folder, "team.password");
  rmSync(file, { force: true });
  if (password === undefined) return;
  writeFileSync(file, `${password}\n`);
  chmodSync(file, settings.passwordMode ?? 0o600);
}
