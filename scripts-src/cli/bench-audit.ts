import { dirname, join, resolve } from "node:path";
import { refused } from "../base/errors.ts";
import { benchAuditor, benchLines, readAuditPackets } from "../consult/bench-audit.ts";
import { makeAuditors } from "../consult/make-drivers.ts";
import { catchInterruption } from "../script/interruption.ts";
import { print, printErrorLines, printLines } from "../script/output.ts";
import { refuseBelowCli, runInProject } from "../session/run-in-project.ts";
import { common } from "../session/session-options.ts";

runInProject(
  {
    name: "bench-audit",
    summary: "Have an auditor read packets of known truth, and print how often it is right.",
    options: [
      { flags: "--cli <driver>", text: "a CLI, command:LINE or acp:COMMAND", required: true },
      { flags: "--only <n>", text: "so many of the packets, spread evenly (default: all)" },
      common.json,
    ],
    ownExitCodes: [
      { exit: 130, failures: [], advice: "interrupted (143: terminated): what was read is told" },
    ],
    notes: ["For people at a terminal: each packet is a paid request to the vendor of that CLI."],
  },
  async (args) => {
    await refuseBelowCli("bench-audit starts an AI CLI, which its user pays for");
    const scripts = resolve(dirname(process.argv[1] ?? "."));
    const all = readAuditPackets(join(scripts, "..", "bench", "audit"));
    const only = Number(args.one("only") ?? all.length);
    const place = { environment: process.env, projects: [process.cwd()], person: undefined };
    const cli = args.required("cli");
    const { drivers } = await makeAuditors(cli, [], { ...place, refuseBelowCli });
    const [driver] = drivers;
    if (driver === undefined || !(only >= 1))
      throw refused(`--cli is ${cli}, --only ${args.one("only")}; expected a CLI, a number from 1`);
    const packets = all.filter((_, at) => (at * only) % all.length < only);
    printErrorLines(`${packets.length} requests to ${driver.name}, at most two for each packet`);
    const { signal, exitCode } = catchInterruption();
    const bench = await benchAuditor(driver, packets, scripts, signal);
    if (args.has("json")) print(`${JSON.stringify(bench)}\n`);
    else printLines(...benchLines(bench));
    return exitCode();
  },
);
