import { asLine } from "../base/visible-text.ts";

/** The person at the terminal. */
export interface Person {
  show(text: string): void;
  /** One line of the person's; undefined when it ended its input or `signal` fired. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Thrown inside a turn when the person gives no more input. */
export class InputEnded extends Error {}

/** Asks a person one thing after the other; what was answered is remembered for the next round. */
export class PersonForm {
  readonly #person: Person;
  readonly #signal: AbortSignal;
  readonly #former: Map<string, string>;

  constructor(person: Person, signal: AbortSignal, former: Map<string, string>) {
    this.#person = person;
    this.#signal = signal;
    this.#former = former;
  }

  show(text: string): void {
    this.#person.show(text);
  }

  async choice(label: string, choices: readonly string[], usual: string): Promise<string> {
    for (;;) {
      const known = this.former(label) ?? usual;
      const said = await this.askWithDefault(`${label}: ${choices.join(", ")}`, known);
      const found = choices.find((choice) => choice.toLowerCase() === said.toLowerCase());
      if (found !== undefined) return this.remember(label, found);
      this.show(`Please write one of: ${choices.join(", ")}\n`);
    }
  }

  async number(label: string, usual: number): Promise<number> {
    for (;;) {
      const known = this.former(label) ?? String(usual);
      const said = await this.askWithDefault(`${label}, 0 to 1`, known);
      if (/^[\d.]+$/.test(said) && Number(said) <= 1) return Number(this.remember(label, said));
      this.show("Please write a number from 0 to 1, such as 0.8\n");
    }
  }

  /** Lines up to an empty one. */
  async paragraph(label: string): Promise<string> {
    return this.#lines(label, "an empty line", "");
  }

  /** Lines up to one that is a single dot: a text with paragraphs. */
  async text(label: string): Promise<string> {
    return this.#lines(label, "a line with a single dot", ".");
  }

  async #lines(label: string, endName: string, end: string): Promise<string> {
    const kept = this.former(label);
    this.show(`${asLine(label)}, then ${endName}${kept ? " (at once: as before)" : ""}:\n`);
    const lines: string[] = [];
    for (let line = await this.#ask("  "); line.trim() !== end; line = await this.#ask("  "))
      lines.push(line.trimEnd());
    return this.remember(label, lines.length > 0 ? lines.join("\n") : (kept ?? ""));
  }

  async line(label: string, usual: string): Promise<string> {
    const known = this.former(label) ?? usual;
    return this.remember(label, await this.askWithDefault(label, known));
  }

  async askWithDefault(label: string, known: string): Promise<string> {
    return (await this.#ask(`${label}${known === "" ? "" : ` [${known}]`}: `)).trim() || known;
  }

  former(label: string): string | undefined {
    return this.#former.get(label);
  }

  remember(label: string, said: string): string {
    this.#former.set(label, said);
    return said;
  }

  async #ask(question: string): Promise<string> {
    const line = await this.#person.ask(asLine(question), this.#signal);
    if (line === undefined) throw new InputEnded();
    return line;
  }
}
