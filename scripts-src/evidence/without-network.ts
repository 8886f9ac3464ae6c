import { spawnSync } from "node:child_process";
import { existsSync } from "../files/disk.ts";
import { checkLimits } from "./check-limits.ts";

/** A program with its words. */
export interface CommandWords {
  readonly program: string;
  readonly words: readonly string[];
}

/** How a command is started, and whether it then has a network. */
interface StartWords extends CommandWords {
  readonly network: "off" | "on";
}

/** Programs of the system at their usual places: PATH could name others. */
const places = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/**
 * The command in a network of its own, which holds nothing but this computer, where the system lets a
 * user make one (Linux); as it is elsewhere. Tests that talk to themselves go on: only the loopback is up.
 */
export function withoutNetwork(command: CommandWords): StartWords {
  const wrapped = wrappers().find(isAble);
  if (wrapped === undefined) return { ...command, network: "on" };
  const [program = "", ...words] = wrapped;
  return { program, words: [...words, command.program, ...command.words], network: "off" };
}

/** From the one that changes least for the command to the one that most systems have. */
function wrappers(): string[][] {
  if (process.platform !== "linux") return [];
  const [unshare, ip, shell] = ["unshare", "ip", "sh"].map(findInSystem);
  if (unshare === undefined || shell === undefined) return [];
  const own = [`--map-user=${process.getuid?.() ?? 0}`, `--map-group=${process.getgid?.() ?? 0}`];
  const loopback = `${ip ?? "false"} link set lo up`;
  const upAs = (rest: string) => [
    unshare,
    "-rn",
    shell,
    "-c",
    `${loopback} && exec ${rest}"$@"`,
    shell,
  ];
  return [
    ...(ip === undefined ? [] : [upAs(`${unshare} ${own.join(" ")} `), upAs("")]),
    [unshare, "-cn"],
    [unshare, "-rn"],
  ];
}

function findInSystem(name: string): string | undefined {
  return places.map((place) => `${place}/${name}`).find((path) => existsSync(path));
}

/** Whether the system lets this user do it: containers and hardened kernels often do not. */
function isAble(wrapper: readonly string[]): boolean {
  const [program = "", ...words] = wrapper;
  const { status } = spawnSync(program, [...words, "/bin/sh", "-c", "exit 0"], {
    stdio: "ignore",
    env: {},
    timeout: checkLimits.probeMs,
  });
  return status === 0;
}
