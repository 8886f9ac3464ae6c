import type { Clock } from "../app/foreign-mail.ts";

/** The machine's time, and ids that no other process makes: time, process, chance. */
export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  newId: () =>
    [
      process.hrtime.bigint().toString(36),
      process.pid.toString(36),
      Math.random().toString(36).slice(2),
    ].join("-"),
};
