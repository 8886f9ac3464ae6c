import assert from "node:assert/strict";
import { draft, type Project } from "./project.ts";

const who = ["--participant", "claude", "--participant", "gemini"];

/** Opens a dialogue of claude and gemini about a topic. */
export function openAbout(project: Project, id: string, topic: string): void {
  const ran = project.run("init", ["--topic", topic, "--session", id, ...who]);
  assert.deepEqual([ran.code, ran.stderr], [0, ""]);
}

/** A dialogue that ended with a decision. */
export function decide(project: Project, id: string, topic: string, decision: string): void {
  openAbout(project, id, topic);
  const open = { position: undefined };
  project.say(id, "claude", draft("REQUEST", `What about this: ${topic}`, open));
  const position = decision.slice(0, 200);
  project.say(id, "gemini", draft("RESPONSE", "I looked at it.", { position }));
  project.say(id, "claude", draft("AGREE", decision, lastSeq(project, id)));
  project.say(id, "gemini", draft("AGREE", "Yes.", lastSeq(project, id)));
}

/** A dialogue that was left to the user. */
export function escalate(project: Project, id: string, topic: string): void {
  openAbout(project, id, topic);
  project.say(id, "claude", draft("REQUEST", "Which?"));
  project.say(id, "gemini", draft("RESPONSE", "The blue one is cheaper.", { position: "Blue" }));
  const needs = { needs_user: "Is cost or speed what counts?" };
  project.say(id, "claude", draft("ESCALATE", "The red one is faster.", needs));
}

/** AGREE names the message whose position it takes over: here the last one. */
function lastSeq(project: Project, id: string): { accepts: number } {
  const last = project.acts(id).findLast(({ event }) => event === "message_sent");
  return { accepts: Number(last?.["seq"]) };
}
