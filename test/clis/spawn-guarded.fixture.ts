/** Starts the command of its command line under guard, and is killed at the moment that it has a process. */
import { spawn } from "node:child_process";
import { spawnGuarded } from "../../scripts-src/clis/spawn-guarded.ts";

const [program = "", ...words] = process.argv.slice(2);
let starts = 0;
const killing = new Proxy(spawn, {
  apply(target, _, call: Parameters<typeof spawn>) {
    const child = target(...call);
    starts += 1;
    // The first one is the guard, which then has not heard of the second.
    if (starts === 2) process.kill(process.pid, "SIGKILL");
    return child;
  },
});
spawnGuarded(killing, program, words, {
  env: process.env,
  shell: false,
  stdio: ["ignore", "ignore", "ignore"],
});
