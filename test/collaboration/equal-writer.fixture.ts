import { writeSync } from "node:fs";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { appendEvent } from "../../scripts-src/session/append-event.ts";
import { placeAt } from "../../scripts-src/session/place.ts";

/** Appends the same event `count` times and prints the seq of each as soon as it is acknowledged. */
async function appendEqual(folder: string, by: string, count: number): Promise<void> {
  const fields = {
    event: "question_classified",
    summary: "Classified.",
    doc: "readiness.md",
    reply_to: 1,
  };
  for (let number = 0; number < count; number += 1) {
    const { seq, repeated } = await appendEvent(placeAt(folder), by, fields, systemClock);
    if (!repeated) writeSync(1, `${seq}\n`);
  }
}

const [, , folder = "", by = "", count = ""] = process.argv;
await appendEqual(folder, by, Number(count));
