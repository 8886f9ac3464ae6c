import { type ChosenStore, chooseStore, namesAddress } from "../remote/choose-store.ts";
import type { Arguments } from "../script/arguments.ts";
import { commandLine } from "./command-line.ts";
import { refuseBelowCli } from "./refuse-agents.ts";

/**
 * The store that a command line asks for.
 * @throws ConsultaError REFUSED where it may not be used: by an agent only what its user has named.
 */
export async function storeFor(
  args: Arguments,
  asked: string,
  project: string,
): Promise<ChosenStore> {
  const remedy = "the user can name it in ~/.consulta/config.yaml, under stores:";
  if (namesAddress(asked))
    await refuseBelowCli("--store with an address sends a session there", remedy);
  if (args.has("public")) await refuseBelowCli("--public lets anybody read a session");
  return chooseStore(asked, project, args.has("public"));
}

/** The line that brings another machine into a session. */
export function invitation(store: ChosenStore, id: string): string[] {
  return [
    "on another machine, in a clone of the project:",
    commandLine("join", { store: askedAs(store) }, [id]),
  ];
}

function askedAs({ remote }: ChosenStore): string | undefined {
  return remote === "origin" ? undefined : `git:${remote}`;
}
