import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled } from "../is-installed.ts";

/** Where programs run: an address, and the words before a command that run it there. */
export interface Host {
  readonly address: string;
  readonly words: readonly string[];
}

export const thisHost: Host = { address: "127.0.0.1", words: [] };

/** A command as it is run at a host. */
export function at(
  host: Host,
  program: string,
  words: readonly string[],
): [program: string, words: string[]] {
  const [first = program, ...rest] = [...host.words, program, ...words];
  return [first, rest];
}

/** Waits until somebody listens at a host. */
export async function untilOpen({ address, words }: Host, port: number): Promise<void> {
  const [program, rest] = at({ address, words }, "bash", ["-c", `: </dev/tcp/${address}/${port}`]);
  for (let tries = 0; tries < 200; tries += 1) {
    if (spawnSync(program, rest).status === 0) return;
    await sleep(50);
  }
  throw new Error(`nobody listens at ${address}:${port}`);
}

function ip(...words: readonly string[]): void {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
}

/** A network of their own for machines; undefined where that takes rights, or a program, that are not here. */
export function openNetwork(): Network | undefined {
  if (!isInstalled("ip", spawnSync("ip", ["-V"]).status === 0)) return undefined;
  const name = `c${randomUUID().slice(0, 8)}`;
  if (spawnSync("ip", ["netns", "add", name]).status !== 0) return undefined;
  ip("netns", "del", name);
  return new Network(name);
}

/** So many machines more in a network; here, where there is none. */
export function hostsOf(network: Network | undefined, count: number): Host[] {
  return Array.from({ length: count }, () => network?.join() ?? thisHost);
}

/** Machines with a network namespace each, joined by a switch that has one as well. */
class Network {
  readonly #name: string;
  readonly #hosts: Host[] = [];
  readonly hub: Host;

  constructor(named: string) {
    this.#name = named;
    const name = `${named}h`;
    ip("netns", "add", name);
    ip("-n", name, "link", "set", "lo", "up");
    ip("-n", name, "link", "add", "switch", "type", "bridge");
    ip("-n", name, "address", "add", "10.77.0.1/24", "dev", "switch");
    ip("-n", name, "link", "set", "switch", "up");
    this.hub = { address: "10.77.0.1", words: ["ip", "netns", "exec", name] };
  }

  /** One machine more. */
  join(): Host {
    const index = this.#hosts.length + 2;
    const [hub, name, link] = [`${this.#name}h`, this.#nameOf(index), `v${index}`];
    ip("netns", "add", name);
    ip("-n", hub, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    ip("-n", hub, "link", "set", link, "master", "switch", "up");
    ip("-n", name, "address", "add", `10.77.0.${index}/24`, "dev", "eth0");
    for (const it of ["lo", "eth0"]) ip("-n", name, "link", "set", it, "up");
    const host = { address: `10.77.0.${index}`, words: ["ip", "netns", "exec", name] };
    this.#hosts.push(host);
    return host;
  }

  /** Pulls the cable of a machine, or puts it back. */
  cut(host: Host, isCut = true): void {
    const index = this.#hosts.indexOf(host) + 2;
    ip("-n", `${this.#name}h`, "link", "set", `v${index}`, isCut ? "down" : "up");
  }

  /** What one machine sends to another is lost, until it no longer is; the other is still heard. */
  silence(from: Host, to: Host, isSilent = true): void {
    const name = this.#nameOf(this.#hosts.indexOf(from) + 2);
    ip("-n", name, "route", isSilent ? "add" : "del", "blackhole", `${to.address}/32`);
  }

  close(): void {
    for (const index of this.#hosts.keys())
      spawnSync("ip", ["netns", "del", this.#nameOf(index + 2)]);
    spawnSync("ip", ["netns", "del", `${this.#name}h`]);
  }

  #nameOf(index: number): string {
    return `${this.#name}m${index}`;
  }
}
