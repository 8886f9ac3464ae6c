import type { Clock } from "../base/clock.ts";
import { isoTime } from "../base/time.ts";

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
