import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientName } from "./client.ts";
import type { Seen } from "./scripted-model.ts";
import type { Stage } from "./stage.ts";
import type { Voice } from "./voices.ts";

export const colleagueOf = { claude: "gemini", gemini: "claude" } as const;

/** In a prompt of the user: begin the session `talk`. */
export const asksToBegin = "Ask your colleague";

/** The line that opens the session `talk`. */
export function openingLine(client: ClientName, scripts: string): string {
  const names = `--participant ${client} --participant ${colleagueOf[client]}`;
  return `node ${scripts}/init.cjs --topic 'SQLite or files?' --session talk ${names}`;
}

/** A request in which the model reads that its so-many-th message was entered. */
export function sent(count: number): (seen: Seen) => boolean {
  return ({ latest, context }) =>
    /appended seq \d+: message_sent/.test(latest) && context.split("appended seq").length > count;
}

/** A request with these words in what came last. */
export function hears(words: RegExp): (seen: Seen) => boolean {
  return ({ since }) => words.test(since);
}

/** The names of the events of the session `talk`, one a line. */
export function eventsOf(stage: Stage): string {
  return readFileSync(join(stage.project, ".consulta/sessions/talk/events.jsonl"), "utf8");
}

/** Goes on for ever: with every message a file of the project has changed, which counts. */
export function makeTalker(name: string, project: string): Voice {
  let count = 0;
  return (draft) => {
    if (draft["type"] === "REQUEST") return draft;
    count += 1;
    const path = `${name}.txt`;
    writeFileSync(join(project, path), `${name} found ${count} places\n`);
    return {
      ...draft,
      type: "RESPONSE",
      confidence: 0.6,
      progress: [{ kind: "artifact", path }],
      question_or_proposal: { content: `${name}: number ${count} speaks for files.` },
    };
  };
}
