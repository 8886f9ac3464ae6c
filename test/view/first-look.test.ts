/** What of very much is told before the rest is read, and what is made once. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { systemClock } from "../../scripts-src/script/clock.ts";
import { findWorkspace } from "../../scripts-src/session/workspace/workspace.ts";
import type { Queue } from "../../scripts-src/view/page/model.ts";
import { SessionQueue } from "../../scripts-src/view/session-queue.ts";
import { SessionWatch } from "../../scripts-src/view/session-watch.ts";
import { draft, Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { manySessions } from "./many.ts";

const project = new Project();
after(() => removeFolder(project.folder));

const screen = 20;

function openQueue(): SessionQueue {
  return new SessionQueue([findWorkspace(project.folder)], systemClock);
}

function failedIn({ rows }: Queue): string[] {
  return rows.filter(({ group }) => group === "failed").map(({ id }) => id);
}

describe("a first look", () => {
  it("at a session makes its items once, until something is appended", async () => {
    project.open("talk");
    project.say("talk", "claude", draft("REQUEST", "Files?"));
    const watch = new SessionWatch(openQueue().entry("0:talk"), "project", systemClock);
    const itemsNow = async () => {
      const model = await watch.model();
      assert("items" in model);
      return model.items;
    };
    const [first, again] = [await itemsNow(), await itemsNow()];
    assert.equal(first.length, 2);
    for (const [index, item] of again.entries()) assert.equal(item, first[index]);
    project.say("talk", "gemini", draft("RESPONSE", "JSON."));
    assert.equal((await itemsNow()).length, 3);
  });

  it("at many sessions tells a screen of them before the log of any other is read", async () => {
    project.open("many");
    manySessions(project, "many", 3 * screen);
    const ids = Array.from({ length: 3 * screen }, (_, index) => `many-${index + 1}`);
    const early: Queue[] = [];
    let unread: string[] = [];
    const whole = await openQueue().read((queue) => {
      early.push(queue);
      unread = ids.filter((id) => !queue.rows.some((row) => row.id === id));
      for (const id of unread)
        appendFileSync(project.path("sessions", id, "events.jsonl"), "{no event}\n{}\n");
    });
    assert.deepEqual(
      early.map((it) => [it.rows.length, failedIn(it)]),
      [[screen, []]],
    );
    assert(unread.length >= 2 * screen);
    assert.deepEqual(failedIn(whole).sort(), unread.sort());
  });
});
