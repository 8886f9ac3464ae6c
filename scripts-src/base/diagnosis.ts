/** One thing that `doctor` saw. What is worth fixing comes with the one command that does it. */
export interface Diagnosis {
  readonly level: "ok" | "note" | "fix";
  readonly text: string;
  readonly command?: string;
}

/** Where `doctor` looks. */
export interface Patient {
  /** The project's root. */
  readonly project: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the running script, and how a command line names its siblings. */
  readonly scripts: string;
  readonly line: (script: string, ...words: string[]) => string;
}

export function ok(text: string): Diagnosis {
  return { level: "ok", text };
}

export function note(text: string, command?: string): Diagnosis {
  return command === undefined ? { level: "note", text } : { level: "note", text, command };
}

export function fix(text: string, command: string): Diagnosis {
  return { level: "fix", text, command };
}
