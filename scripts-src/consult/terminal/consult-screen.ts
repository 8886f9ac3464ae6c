import stringWidth from "string-width";
import type { Clock } from "../../base/clock.ts";
import { oneLine } from "../../base/visible-text.ts";
import type { LogEvent } from "../../log/event.ts";
import { isDeliveryNote } from "../../protocol/person-step.ts";
import type { SessionStatus } from "../../protocol/protocol.ts";
import { openSession } from "../../session/open.ts";
import { needText, pausedText } from "../../session/person-words.ts";
import { eventsBetween } from "../../session/replay.ts";
import { type Session, standingOf } from "../../session/session.ts";
import { watchLog } from "../../session/waiting/follow.ts";
import type { Progress } from "../run-context.ts";
import { elapsedText, messageGist } from "../session-news.ts";
import { cutTo, padded, painter, Screen, type Style, wrapped } from "./screen.ts";

/** Often enough for a clock with seconds. */
const tickMs = 1_000;
/** What was said before this run took it up is looked for so far back. */
const lookedBack = 32;
const widthMax = 100;
/** Of more participants those at work are shown first, and the rest is counted. */
const rowsMax = 8;

type Paint = ReturnType<typeof painter>;

/** A run on a calm screen: drawn again in place when something in it has changed. */
export class ConsultScreen implements Progress {
  readonly #clock: Clock;
  readonly #screen = new Screen();
  readonly #startedMs: number;
  /** Since when each has been what it is now. */
  readonly #since = new Map<string, { state: string; ms: number }>();
  readonly #doing = new Map<string, string>();
  #shown: Session;
  #last = "";
  #check = "";
  #note = "";
  #isOn = false;
  #isOver = false;
  #showing: Promise<void> = Promise.resolve();

  constructor(session: Session, clock: Clock) {
    this.#shown = session;
    this.#clock = clock;
    this.#startedMs = Date.parse(clock.now());
  }

  note(text: string, weight?: "routine"): void {
    if (weight === undefined) this.#note = oneLine(text);
    this.#draw();
  }

  checking(what: string): void {
    this.#check = oneLine(what);
    this.#draw();
  }

  working(participant: string, doing: string): void {
    this.#doing.set(participant, oneLine(doing));
    this.#draw();
  }

  async follow(): Promise<() => Promise<void>> {
    const redraw = () => this.#draw();
    const timer = setInterval(redraw, tickMs);
    process.stderr.on("resize", redraw);
    const { seq } = this.#shown.cursor;
    await this.#tell(Math.max(1, seq - lookedBack + 1), seq);
    this.#isOn = true;
    redraw();
    const stop = await watchLog(this.#shown, () => {
      // What fails here fails again where somebody waits for the news.
      this.showNews().catch(() => undefined);
    });
    return async () => {
      clearInterval(timer);
      process.stderr.off("resize", redraw);
      await stop();
      await this.showNews();
      this.#check = "";
      this.#isOver = true;
      redraw();
      this.#isOn = false;
      this.#screen.end();
    };
  }

  showNews(): Promise<void> {
    this.#showing = this.#showing
      .catch(() => undefined)
      .then(async () => {
        const known = this.#shown.cursor.seq;
        this.#shown = await openSession(this.#shown);
        await this.#tell(known + 1, this.#shown.cursor.seq);
        this.#draw();
      });
    return this.#showing;
  }

  /** The last message of these events, or what counts as one. */
  async #tell(first: number, last: number): Promise<void> {
    const isMail = this.#shown.kind.mail !== undefined;
    const gists = (await eventsBetween(this.#shown, first, last)).flatMap(
      (event) => gistOf(event, isMail) ?? [],
    );
    if (gists.length === 0) return;
    this.#last = oneLine(gists.at(-1) ?? "");
    // A try that failed is over once something came.
    this.#note = "";
  }

  #draw(): void {
    if (!this.#isOn) return;
    this.#screen.draw((columns, rows, isColored) => {
      const frame = this.#frame(columns, rows, isColored);
      return this.#isOver ? [...frame, ""] : frame;
    });
  }

  /** The question first, then who is at work, then what was said. */
  #frame(columns: number, rows: number, isColored: boolean): string[] {
    const paint = painter(isColored);
    // A line of the full width would break on terminals that go to the next one at once.
    const width = Math.max(20, Math.min(widthMax, columns - 1));
    const status = standingOf(this.#shown);
    const { id, topic, phase, summary, ended } = status;
    const elapsed = elapsedText(Date.parse(this.#clock.now()) - this.#startedMs);
    const painted = (style: Style, lines: readonly string[]) =>
      lines.map((line) => paint(style, line));
    const head = padded(`consult ${oneLine(id)}`, width - stringWidth(elapsed) - 1);
    const blocks = [
      [paint("dim", `${head} ${elapsed}`), ...painted("bold", wrapped(oneLine(topic), width, 3))],
      this.#rows(status, paint, width),
      painted("dim", wrapped(oneLine(`${phase}: ${summary}`), width, 2)),
      this.#facts(status, paint, width),
    ].filter((block) => block.length > 0);
    const isOpen = !ended && !this.#isOver;
    const hint = isOpen ? cutTo("Ctrl+C stops; the session stays open", width) : "";
    const last = hint === "" ? [] : [paint("dim", hint)];
    const airy = [...blocks, last].flatMap((block) => ["", ...block]).slice(1);
    if (airy.length < rows) return airy;
    const room = Math.max(1, rows - 1 - last.length);
    return [...blocks.flat().slice(0, room), ...last];
  }

  #facts({ paused, needsPerson }: SessionStatus, paint: Paint, width: number): string[] {
    const need = needsPerson === undefined ? this.#note : needText(needsPerson);
    const note = paused === undefined ? need : pausedText(paused);
    const labelled = (label: string, text: string, linesMax: number, style: Style) =>
      wrapped(oneLine(text), width - 7, text === "" ? 0 : linesMax).map((line, at) =>
        at === 0 ? `${paint(style, label.padEnd(7))}${line}` : `${" ".repeat(7)}${line}`,
      );
    return [
      ...labelled("last", this.#last, 4, "dim"),
      ...labelled("check", this.#check, 1, "dim"),
      ...labelled("note", note, 3, "alert"),
    ];
  }

  #rows(status: SessionStatus, paint: Paint, width: number): string[] {
    const all = status.participants.map((name) => ({ name, state: stateOf(name, status) }));
    const isBusy = ({ state }: { state: string }) => state === "at work";
    const sorted =
      all.length <= rowsMax
        ? all
        : [...all.filter(isBusy), ...all.filter((it) => !isBusy(it))].slice(0, rowsMax);
    const nameWidth = Math.min(width < 60 ? 12 : 24, Math.max(...all.map((it) => it.name.length)));
    const lines = sorted.map(({ name, state }) => {
      const sure = status.confidence?.[name];
      const word = sure === undefined ? "" : `${width < 60 ? "" : "confidence "}${sure.toFixed(2)}`;
      const style = state === "paused" ? "alert" : isBusy({ state }) ? "good" : "dim";
      const cells = [
        padded(oneLine(name), nameWidth),
        paint(style, padded(state, 13)),
        padded(this.#sinceText(name, state), 7),
        [word, paint("dim", this.#doing.get(name) ?? "")].filter((it) => it !== "").join("  "),
      ];
      return cutTo(`  ${cells.join("  ")}`.trimEnd(), width);
    });
    const more = all.length - sorted.length;
    return more === 0 ? lines : [...lines, paint("dim", `  and ${more} more`)];
  }

  /** For how long it has been what it is. */
  #sinceText(name: string, state: string): string {
    const now = Date.parse(this.#clock.now());
    const known = this.#since.get(name);
    const since = known?.state === state ? known : { state, ms: now };
    this.#since.set(name, since);
    return elapsedText(now - since.ms);
  }
}

function gistOf(event: LogEvent, isMail: boolean): string | undefined {
  if (isDeliveryNote(event) || event.event === "evidence") return undefined;
  return isMail ? messageGist(event) : `${event.from}: ${event.event}: ${event.summary}`;
}

function stateOf(name: string, { ended, paused, waitingFor }: SessionStatus): string {
  if (ended) return "done";
  if (paused?.stillBusy.includes(name)) return "ends its turn";
  if (paused?.held.includes(name)) return "paused";
  return waitingFor.includes(name) ? "at work" : "waits";
}
