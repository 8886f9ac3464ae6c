import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Project } from "../dialogue/project.ts";

/** Copies of one session under names of their own. */
export function manySessions(project: Project, id: string, count: number): void {
  const log = project.read("sessions", id, "events.jsonl");
  for (let number = 1; number <= count; number += 1) {
    const name = `${id}-${number}`;
    mkdirSync(project.path("sessions", name));
    writeFileSync(
      project.path("sessions", name, "events.jsonl"),
      log.replaceAll(`"session_id":"${id}"`, `"session_id":"${name}"`),
    );
  }
}

/** Makes a log so long with words of the person, which any dialogue takes. */
export function longLog(project: Project, id: string, count: number): void {
  const path = project.path("sessions", id, "events.jsonl");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const last: unknown = JSON.parse(lines.at(-1) ?? "");
  const at = typeof last === "object" && last !== null && "at" in last ? last.at : "";
  let text = "";
  for (let seq = lines.length + 1; seq <= count; seq += 1) {
    const said = {
      seq,
      from: "user",
      event: "said",
      at,
      summary: "the user said something",
      id: `id-${seq}`,
    };
    text += `${JSON.stringify({ ...said, to: ["gemini"], text: `Word ${seq} of the person, who has much to say.` })}\n`;
  }
  appendFileSync(path, text);
}
