import type { Clock } from "../app/foreign-mail.ts";
import { isoTime } from "../core/time.ts";

/** The machine's time, and ids that no other process makes: time, process, chance. */
export const systemClock: Clock = {
  now: () => isoTime(Date.now()),
  newId: () =>
    [
      process.hrtime.bigint().toString(36),
      process.pid.toString(36),
      Math.random().toString(36).slice(2),
    ].join("-"),
};
