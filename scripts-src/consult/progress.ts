/** How a run tells what goes on: line by line, or on a screen that is drawn again. */
export interface Progress {
  /** Something that is no event of the log. What a screen shows anyway is `routine`. */
  note(text: string, weight?: "routine"): void;
  /** The check that runs now; "" when it is over. */
  checking(what: string): void;
  /** Tells of events as they come, until it is stopped. */
  follow(): Promise<() => Promise<void>>;
  /** Tells the events that came since the last time. */
  showNews(): Promise<void>;
}
