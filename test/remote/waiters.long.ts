/** However many wait on a machine, the host is asked by one of them. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../findings/board.ts";
import { makeBareRepository } from "./git-remote.ts";
import { byHttp, type Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";

const id = "sync";
/** The first of them has a machine with three. */
const people = ["b", "c", "d", "e", "f", "g", "h", "i"];
const machineOf = [0, 0, 0, 1, 2, 3, 4, 5];
/** How long the host is watched, and between how many looks each machine may take then: 1.6 to 2.4 s apart. */
const watchedMs = 16_000;
const looksMax = watchedMs / 1_600 + 1;
/** What a host of git lets one user do a minute, as it comes: GitLab's default. */
const operationsMax = 600;

describe("six machines that wait for one session", { timeout: 300_000 }, () => {
  let way: Way;
  let machines: Laptop[];
  let waiting: ReturnType<Laptop["begin"]>[];
  /** Of each question to the host the machine that asked it, and what for. */
  const asked: { machine: number; isLook: boolean }[] = [];
  before(async () => {
    way = await byHttp(makeBareRepository(), { password: "ana:open-sesame" });
    way.server?.stdout?.on("data", (part: Buffer) => {
      for (const [, machine, path] of part.toString().matchAll(/^asked machine-(\d) (\S+)$/gm))
        asked.push({ machine: Number(machine), isLook: path?.includes("/info/refs?") === true });
    });
    machines = Array.from({ length: 6 }, (_, index) => {
      const at = new Laptop(way.url, way.settings);
      at.set(`http.userAgent=machine-${index}`);
      return at;
    });
    const [first, ...others] = machines;
    const who = ["a", ...people].flatMap((it) => ["--participant", it]);
    const words = ["--objective", "Agree", "--completion", "Agreed", "--session", id, ...who];
    first?.done("init", [...words, "--store", "git"]);
    for (const at of others) at.done("join", [id]);
    waiting = people.map((name, index) => {
      const times = ["--session", id, "--participant", name, "--timeout", "0"];
      return (machines[machineOf[index] ?? 0] ?? assert.fail()).begin("wait-for-turn", times);
    });
    for (const [index, name] of people.entries()) {
      const at = machines[machineOf[index] ?? 0];
      await until(`${name} waits`, () => existsSync(at?.path("presence", `${name}.ready`) ?? ""));
    }
  });
  after(() => {
    for (const { child } of waiting ?? []) child.kill("SIGKILL");
    way?.stop();
  });

  /** The process that asks for the first machine, as it says where those who wait there agree on it. */
  const asker = (): number => {
    const stores = join(machines[0]?.home ?? "", ".consulta", "stores");
    const [key = ""] = readdirSync(stores).filter((name) => /^[0-9a-f]{32}$/.test(name));
    const file = join(stores, key, "watch.json");
    return existsSync(file) ? Number(JSON.parse(readFileSync(file, "utf8")).pid) : -1;
  };
  const own = () => waiting.slice(0, 3).map(({ child }) => child.pid ?? 0);

  it("ask one by one, however many wait on a machine, and fewer times than hosts allow", async () => {
    await until("one of three asks", () => own().includes(asker()));
    await sleep(3_000);
    asked.length = 0;
    await sleep(watchedMs);
    const seen = [...asked];
    for (const machine of machines.keys()) {
      const looks = seen.filter((it) => it.isLook && it.machine === machine).length;
      assert(looks >= 1 && looks <= looksMax, `${looks} looks of machine ${machine}`);
    }
    const aMinute = (seen.length * 60_000) / watchedMs;
    assert(aMinute < operationsMax, `${aMinute} questions a minute`);
  });

  it("go on when the one that asks is killed, and all hear what was said elsewhere", async () => {
    const killed = asker();
    const index = own().indexOf(killed);
    assert(index >= 0, "it is one of them");
    waiting[index]?.child.kill("SIGKILL");
    const left = own().filter((pid) => pid !== killed);
    await until("another one asks", () => left.includes(asker()));
    const [first, last] = [machines[0], machines.at(-1)];
    writeFileSync(last?.path("sessions", id, "proposal.md") ?? "", "# Proposal\n\nUse codes.\n");
    const words = ["--event", "proposal_submitted", "--summary", "codes", "--reply-to", "1"];
    last?.done("append-event", ["--session", id, "--participant", "a", ...words]);
    for (const [one, { done }] of waiting.entries()) {
      if (one === index) continue;
      const { code, stdout, stderr } = await done;
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`${people[one]} has the turn in ${id}`));
    }
    assert.equal(first?.log(id).match(/"proposal_submitted"/g)?.length, 1);
    assert.match(first?.read("sessions", id, "proposal.md") ?? "", /Use codes\./);
  });
});
