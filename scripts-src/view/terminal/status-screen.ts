import { isatty } from "node:tty";
import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { printLines } from "../../script/output.ts";
import { canDraw } from "../../script/terminal.ts";
import { waitUntil } from "../../session/waiting/wait-until.ts";
import { atEnds, wrapped } from "./lay-out.ts";
import { type Paint, paintFor, type TerminalTraits } from "./paint.ts";
import { Screen } from "./screen.ts";

/** A session as `status` tells it. */
export interface StatusEntry {
  /** Another one as soon as somebody has acted. */
  readonly key: string;
  /** The lines of `status`: one for the session, more below it. */
  readonly lines: readonly string[];
  /** It waits for the person, or somebody has to look at it. */
  readonly isUrgent: boolean;
  readonly name: string;
  readonly state: string;
  readonly age: string;
  readonly topic: string;
}

/** What there is now, and where a change of it shows. */
export interface StatusLook {
  readonly folders: readonly string[];
  readonly entries: readonly StatusEntry[];
}

/** Ages are told in minutes. */
const againMs = 20_000;

/**
 * Shows where all sessions stand until it is interrupted: at a terminal on a screen that is drawn again,
 * elsewhere a line for each change. Returns the exit code.
 */
export async function watchStatus(
  isPlain: boolean,
  look: () => Promise<StatusLook>,
): Promise<number> {
  const screen =
    !isPlain && isatty(1) && isatty(2) && canDraw(process.env) ? new Screen() : undefined;
  const told = new Set<string>();
  let folders: readonly string[] = [];
  let notice: () => void = () => undefined;
  const redraw = () => notice();
  process.stderr.on("resize", redraw);
  const end = await waitUntil({
    folders: () => folders,
    pollIntervalMs: 3_000,
    timeoutMs: undefined,
    heartbeatMs: againMs,
    heartbeat: () => undefined,
    begin(given) {
      notice = given;
    },
    async check() {
      const seen = await look();
      folders = seen.folders;
      if (screen === undefined) return printChanges(seen.entries, told) ? undefined : "done";
      screen.draw(statusFrame(seen.entries, clockText(), screen.terminal()));
      return undefined;
    },
  });
  process.stderr.off("resize", redraw);
  screen?.end();
  return typeof end === "object" ? 128 + end.signal : 0;
}

/** False where nobody reads on. */
function printChanges(entries: readonly StatusEntry[], told: Set<string>): boolean {
  const news = entries.filter(({ key }) => !told.has(key));
  for (const { key } of news) told.add(key);
  const lines = news.flatMap((it) => it.lines);
  return lines.length === 0 || printLines(...lines.map((line) => `${clockText()}  ${line}`));
}

function clockText(): string {
  return new Date().toTimeString().slice(0, 8);
}

const widthMax = 120;

/** What waits for the person comes first. */
export function statusFrame(
  entries: readonly StatusEntry[],
  time: string,
  terminal: TerminalTraits,
): string[] {
  const paint = paintFor(terminal);
  const width = Math.max(20, Math.min(widthMax, terminal.columns - 1));
  const rowsMax = Math.max(3, terminal.rows - 1);
  const urgent = entries.filter(({ isUrgent }) => isUrgent);
  const others = entries.filter(({ isUrgent }) => !isUrgent);
  const needs = `${urgent.length} ${urgent.length === 1 ? "waits" : "wait"} for you`;
  const word = urgent.length === 0 ? paint.dim("none waits for you") : paint.alert(needs);
  const head = atEnds(`${plural(entries.length, "session")}, ${word}`, paint.dim(time), width);
  const blocks = [...urgent, ...others].map((it) => entryLines(it, width, paint));
  const hint = paint.dim("Ctrl+C ends this");
  const room = rowsMax - 4;
  const shown: string[] = [];
  let left = blocks.length;
  for (const block of blocks) {
    if (shown.length + block.length > room - (left > 1 ? 1 : 0)) break;
    shown.push(...block);
    left -= 1;
  }
  const more = left === 0 ? [] : [paint.dim(`and ${left} more`)];
  return [head, "", ...shown, ...more, "", hint];
}

function entryLines(
  { lines, isUrgent, name, state, age, topic }: StatusEntry,
  width: number,
  paint: Paint,
): string[] {
  const mark = isUrgent ? paint.alert("!") : " ";
  const left = `${mark} ${paint.bold(oneLine(name))}  ${oneLine(state)}`;
  const about = oneLine(topic) === "" ? [] : wrapped(oneLine(topic), width - 4, 2);
  const more = lines.slice(1).flatMap((line) => wrapped(oneLine(line), width - 4, 2));
  return [
    atEnds(left, paint.dim(age), width),
    ...about.map((line) => `    ${line}`),
    ...more.map((line) => `    ${isUrgent ? paint.alert(line) : paint.dim(line)}`),
  ];
}
