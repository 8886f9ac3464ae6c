import type { SessionStatus } from "../protocol/protocol.ts";
import type { Arguments, OptionSpec, ScriptSpec } from "../script/arguments.ts";
import type { Place } from "./place.ts";

/** How `init` opens a session of one kind. */
export interface Opener {
  /** What it opens and what asks for it, as `--help` says. */
  readonly opens: string;
  /** The same where the command line asks for nothing, or for too much. */
  readonly askedBy: string;
  /** The option that asks for it; undefined where a positional word does. */
  readonly key?: string;
  readonly positionals?: readonly string[];
  readonly options: readonly OptionSpec[];
  /** Options that no other kind lets pass. */
  readonly own?: readonly string[];
  readonly ownExitCodes?: NonNullable<ScriptSpec["ownExitCodes"]>;
  readonly notes: readonly string[];
  /** Opens it and says so; returns the exit code where that is not 0. */
  open(args: Arguments, register: Register): Promise<number | undefined>;
}

/** Notes that the CLI which runs this acts for a participant. */
export type Register = (
  place: Place,
  participant: string,
  status: SessionStatus,
) => Promise<unknown>;
