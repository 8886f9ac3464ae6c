/** What `view` answers and tells open pages, whatever happens to the sessions. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync, symlinkSync, truncateSync } from "node:fs";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft, Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { bigLog, longLog } from "./many.ts";
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
    assert.match(text, /error/);
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
      (it) => it.event === "news" && JSON.stringify(partOf(it.data)).includes("We wait."),
    );
    assert.deepEqual([news.data["seq"], news.data["items"]], [data["seq"], []]);
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

  it("tells of a session that is not there, and of all others", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    const view = await look(at);
    const stream = await view.follow("?key=0:gone");
    assert.match(String((await stream.until(isFault)).data["fault"]), /no session "0:gone" here/);
    await stream.until(({ event }) => event === "queue");
    stream.close();
  });

  it("tells a page that comes back all that there is, and two pages the same", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    at.project.say("talk", "claude", draft("REQUEST", "Files?"));
    const view = await look(at);
    const first = await view.follow("?key=0:talk");
    await first.until(isWhole);
    at.project.say("talk", "gemini", draft("RESPONSE", "Said while one listened."));
    const news = await first.until(
      (it) => it.event === "news" && JSON.stringify(it.data).includes("while one listened"),
    );
    assert(itemsOf(news.data).length < 3, "only what is new");
    const again = await view.follow("?key=0:talk", { "last-event-id": "3" });
    const { data } = await again.until(isWhole);
    assert.equal(itemsOf(data).length, 3);
    for (const it of [first, again]) it.close();
  });

  it("tells a page that was cut off what is new since its last event, and all where it missed one", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    at.open("other", "About another");
    at.project.say("talk", "claude", draft("REQUEST", "Files?"));
    const view = await look(at);
    /** What a page is told first of a session, when it comes back and got `lastId` last. */
    const comeBack = async (key: string, lastId: string) => {
      const stream = await view.follow(`?key=0:${key}`, { "last-event-id": lastId });
      const { event, data } = await stream.until((it) => it.event !== "queue");
      const told = { event, seqs: itemsOf(data).map(({ seq }) => seq) };
      return { told, lastId: stream.events.at(-1)?.id ?? "", close: () => stream.close() };
    };
    const away = async (of: { close: () => void }) => {
      of.close();
      await sleep(200);
    };
    const first = await view.follow("?key=0:talk");
    await first.until(isWhole);
    await first.until(({ event }) => event === "queue");
    const ids = first.events.map(({ id }) => id);
    await away(first);
    at.project.say("talk", "gemini", draft("RESPONSE", "Said while nobody listened."));
    const missing = await comeBack("talk", ids[0] ?? "");
    assert.deepEqual(missing.told, { event: "session", seqs: [1, 2, 3] });
    await away(missing);
    const elsewhere = await comeBack("other", ids[1] ?? "");
    assert.deepEqual(elsewhere.told, { event: "session", seqs: [1] });
    await away(elsewhere);
    const back = await comeBack("talk", ids[1] ?? "");
    assert.equal(back.told.event, "news");
    assert(back.told.seqs.includes(3) && !back.told.seqs.includes(1), "only what is new");
    await away(back);
    const twice = await comeBack("talk", ids[1] ?? "");
    assert.equal(twice.told.event, "session", "it went on from there already");
    twice.close();
  });
});

describe("a session as of an event", () => {
  it("of few but large events is the same fold as of any", async () => {
    const at = makeStories();
    at.open("large", "About much");
    bigLog(at.project, "large", 60);
    const view = await look(at);
    for (const seq of [3, 40]) {
      const model = await view.get(`/api/session?key=0:large&at=${seq}`);
      assert.deepEqual([model["seq"], itemsOf(model).at(-1)?.seq], [seq, seq]);
    }
  });

  it("of a long log comes in steps that say how far they are, and then at once", async () => {
    const at = makeStories();
    at.open("long", "About long");
    at.project.say("long", "claude", draft("REQUEST", "How long?"));
    longLog(at.project, "long", 30_000);
    const view = await look(at);
    const path = "/api/session?key=0:long&at=";
    let folded = 0;
    let model = await view.get(`${path}29000`);
    while (model["folded"] !== undefined) {
      assert(Number(model["folded"]) >= folded, "it goes on");
      folded = Number(model["folded"]);
      await sleep(50);
      model = await view.get(`${path}29000`);
    }
    assert.deepEqual([model["seq"], itemsOf(model).at(-1)?.seq], [29_000, 29_000]);
    for (const seq of [28_000, 500, 12_345]) {
      const past = await view.get(`${path}${seq}`);
      assert.deepEqual([past["seq"], itemsOf(past).at(-1)?.seq], [seq, seq]);
      assert.equal(itemsOf(past).length, 200);
    }
    let first = 30_000;
    for (let pages = 0; pages < 5; pages += 1) {
      const older = await view.get(`/api/session?key=0:long&before=${first}`);
      assert.equal(itemsOf(older).length, 200);
      assert.equal(itemsOf(older).at(-1)?.seq, first - 1);
      first -= 200;
    }
  });

  it("of a long log that is read for the first time lets others be answered meanwhile", async () => {
    const at = makeStories();
    at.open("long", "About long");
    const view = await look(at);
    longLog(at.project, "long", 150_000);
    let isRead = false;
    const whole = view.get("/api/session?key=0:long").finally(() => {
      isRead = true;
    });
    let answered = 0;
    while (!isRead) {
      await view.ask("/", { headers: view.pass });
      if (!isRead) answered += 1;
    }
    assert.equal((await whole)["seq"], 150_000);
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
    at.collaboration("exports");
    const view = await look(at);
    const rows = (await view.get("/api/queue"))["rows"] as unknown as readonly JsonObject[];
    const turnOf = (id: string) => rows.find((it) => it["id"] === id)?.["turnAt"];
    assert.equal(turnOf("talk"), asked?.["at"]);
    // The owner has it since the last event; who reviews beside others has it since an unknown one.
    assert.equal(turnOf("exports"), at.project.events("exports").at(-1)?.["at"]);
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

  it("does not know since when the last of several reviewers has the turn", async () => {
    const at = makeStories();
    at.open("talk", "About talk");
    const folder = at.folderOf("plan");
    const who = ["ana", "bruno", "chen"].flatMap((it) => ["--participant", it]);
    at.done("init", ["--objective", "Which?", "--folder", folder, ...who, "--completion", "Done"]);
    at.write("plan", "proposal.md", "# Proposal\n\n- This one.\n");
    at.append("plan", "ana", "proposal_submitted", "This one");
    const view = await look(at);
    const turn = async () => {
      const rows = (await view.get("/api/queue"))["rows"] as unknown as readonly JsonObject[];
      const plan = rows.find(({ id }) => id === "plan");
      return [plan?.["turn"], plan?.["turnAt"]];
    };
    const submitted = at.project.events("plan").at(-1)?.["at"];
    assert.deepEqual(await turn(), [["bruno", "chen"], submitted]);
    at.append("plan", "bruno", "review_submitted", "It will do", aReview);
    assert.deepEqual(await turn(), [["chen"], ""]);
  });
});

const aReview = `Context:
- Read proposal.md:1.

Position:
- Accept.

Concerns:
- None.

Required Changes:
- None.

Questions:
- None.
`;
