/** What `view` answers and tells open pages, whatever happens to the sessions. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync, symlinkSync, truncateSync } from "node:fs";
import { after, describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft, Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { longLog } from "./many.ts";
import { Stories } from "./stories.ts";
import { type StreamEvent, ViewClient } from "./view-client.ts";

const folders: string[] = [];
const views: ViewClient[] = [];
after(async () => {
  for (const it of views) await it.end();
  for (const it of folders) removeFolder(it);
});

function makeStories(): Stories {
  const at = new Stories(new Project(makeScratchFolder()));
  folders.push(at.project.folder);
  return at;
}

async function look(at: Stories): Promise<ViewClient> {
  const view = await ViewClient.entered(at.project.folder);
  views.push(view);
  return view;
}

const isFault = ({ event }: StreamEvent) => event === "fault";
const isWhole = ({ event }: StreamEvent) => event === "session";
const rowsOf = ({ data }: StreamEvent) => data["rows"] as unknown as readonly JsonObject[];
const itemsOf = (model: JsonObject) => model["items"] as unknown as readonly { seq: number }[];
const partOf = (model: JsonObject) => model["part"] as JsonObject;

describe("the stream of a page", () => {
  it("says why sessions cannot be listed, goes on, and lists them again", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    const view = await look(at);
    const stream = await view.follow("");
    await stream.until((it) => it.event === "queue" && rowsOf(it)[0]?.["id"] === "talk");
    const sessions = at.project.path("sessions");
    renameSync(sessions, `${sessions}-away`);
    symlinkSync(`${sessions}-away`, sessions);
    const told = await stream.until(
      (it) => it.event === "queue" && rowsOf(it)[0]?.["group"] === "failed",
    );
    assert.match(String(rowsOf(told)[0]?.["why"]), /sessions/);
    const seen = stream.events.length;
    assert(view.isRunning);
    const { text } = await view.ask("/api/session?key=0:talk", {
      headers: view.pass,
    });
    assert.match(text, /"fault"/);
    removeFolder(sessions);
    renameSync(`${sessions}-away`, sessions);
    await stream.until((it) => it.event === "queue" && rowsOf(it)[0]?.["id"] === "talk", seen);
    stream.close();
  });

  it("tells of documents and reports that change while the log does not", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    at.collaboration("exports");
    at.board("faults");
    const view = await look(at);
    const [exports, faults] = [
      await view.follow("?key=0:exports"),
      await view.follow("?key=0:faults"),
    ];
    const { data } = await exports.until(isWhole);
    await faults.until(isWhole);
    at.write("exports", "decisions.md", "# Decisions\n\nWe wait.\n");
    const news = await exports.until(
      (it) => isWhole(it) && JSON.stringify(partOf(it.data)).includes("We wait."),
    );
    assert.equal(news.data["seq"], data["seq"]);
    at.write(
      "faults",
      "findings/otter/02-more.md",
      "# Findings: more\n\n**Summary**: told by hand\n",
    );
    await faults.until((it) => JSON.stringify(partOf(it.data) ?? "").includes("02-more.md"));
    for (const it of [exports, faults]) it.close();
  });

  it("shows a session again as soon as its log is sound again", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    const view = await look(at);
    const stream = await view.follow("?key=0:talk");
    await stream.until(isWhole);
    const log = at.project.path("sessions", "talk", "events.jsonl");
    const { length } = readFileSync(log);
    appendFileSync(log, "{no event}\n{}\n");
    assert.match(String((await stream.until(isFault)).data["fault"]), /is not JSON/);
    const seen = stream.events.length;
    truncateSync(log, length);
    const { data } = await stream.until(isWhole, seen);
    assert.equal(itemsOf(data).length, 1);
    stream.close();
  });
});

describe("a session as of an event", () => {
  it("of a long log comes as of any, page by page", async () => {
    const at = makeStories();
    at.open("long", "About long");
    at.project.say("long", "claude", draft("REQUEST", "How long?"));
    longLog(at.project, "long", 8_000);
    const view = await look(at);
    for (const seq of [7_500, 7_000, 500, 4_321]) {
      const past = await view.get(`/api/session?key=0:long&at=${seq}`);
      assert.deepEqual([past["seq"], itemsOf(past).at(-1)?.seq], [seq, seq]);
      assert.equal(itemsOf(past).length, 200);
    }
  });

  it("of a long log that is read for the first time lets others be answered meanwhile", async () => {
    const at = makeStories();
    at.open("long", "About long");
    const view = await look(at);
    longLog(at.project, "long", 60_000);
    let isRead = false;
    const whole = view.get("/api/session?key=0:long").finally(() => {
      isRead = true;
    });
    let answered = 0;
    while (!isRead) {
      await view.ask("/", { headers: view.pass });
      if (!isRead) answered += 1;
    }
    assert.equal((await whole)["seq"], 60_000);
    assert(answered > 5, `${answered} answers meanwhile`);
  });

  it("tells nothing of gates, duties and documents that say only how it is now", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    at.collaboration("exports");
    const view = await look(at);
    const now = await view.get("/api/session?key=0:exports");
    const then = await view.get("/api/session?key=0:exports&at=2");
    const counts = (model: JsonObject) =>
      ["gates", "documents"].map((name) => (partOf(model)[name] as unknown[]).length > 0);
    assert.deepEqual(
      [counts(now), counts(then)],
      [
        [true, true],
        [false, false],
      ],
    );
    assert.notEqual(now["obligations"], undefined);
    assert.equal(then["obligations"], undefined);
  });
});

describe("the list", () => {
  it("follows what the person has seen and what others write, session by session", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    const view = await look(at);
    const groupOf = async () => {
      const rows = (await view.get("/api/queue"))["rows"] as unknown as readonly JsonObject[];
      return rows[0]?.["group"];
    };
    assert.equal(await groupOf(), "idle");
    at.done("step-in", ["end", "asked the wrong thing", "--session", "talk"]);
    assert.deepEqual([await groupOf(), await groupOf()], ["finished", "finished"]);
    const ours = view.pass;
    await view.write("/api/act", { key: "0:talk", verb: "seen" }, ours);
    assert.equal(await groupOf(), "earlier");
  });

  it("tells since when somebody has the turn: what comes in between takes it from nobody", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    at.say("talk", "claude", draft("REQUEST", "Where to?"));
    at.done("step-in", ["say", "South is closed.", "--session", "talk"]);
    at.project.next("talk", "gemini");
    const [, asked, said] = at.project.events("talk");
    assert.deepEqual([asked?.["event"], said?.["event"]], ["message_sent", "said"]);
    const view = await look(at);
    const rows = (await view.get("/api/queue"))["rows"] as unknown as readonly JsonObject[];
    assert.equal(rows[0]?.["turnAt"], asked?.["at"]);
    const page = await view.get("/api/session?key=0:talk");
    const people = page["participants"] as unknown as readonly JsonObject[];
    assert.deepEqual(
      people.map(({ turnAt }) => turnAt),
      ["", asked?.["at"]],
    );
    at.done("step-in", ["pause", "--session", "talk"]);
    const paused = async () =>
      JSON.stringify((await view.get("/api/session?key=0:talk"))["participants"]);
    assert.match(await paused(), /"name":"gemini".*"may still end its turn"/);
    at.project.next("talk", "gemini");
    assert.match(await paused(), /"name":"gemini".*"waits for you to resume"/);
  });
});
