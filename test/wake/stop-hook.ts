import { existsSync } from "node:fs";
import { type FakeCli, type Machine, until } from "./fake-cli.ts";

export const nothing = { code: 0, stdout: "", stderr: "" };

/** Starts a hook and comes back when it waits. */
export async function waiting(machine: Machine, cli: FakeCli, event = "Stop", name = "claude") {
  const hook = cli.fire(event);
  await until("the hook waits", () =>
    existsSync(machine.project.path("presence", `${name}.ready`)),
  );
  return hook;
}

export const gone =
  /^Consulta: gemini has the turn in session talk, and its CLI has ended\. Tell the user.* End your turn then: the wait goes on, and you are woken when the answer comes\.\n$/;

export const turnIn = (session: string) =>
  new RegExp(
    `^Consulta: you have the turn in session ${session}\\. Run: node \\S+/next-action\\.cjs --session ${session} --participant claude\\n$`,
  );
