/** The live page of a session that several machines share. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { draft } from "../dialogue/project.ts";
import { type StreamEvent, ViewClient } from "../view/view-client.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const dialogue = "stores";
const shared = "sync";
const open = { position: undefined };
const textOf = ({ data }: StreamEvent) => JSON.stringify(data);
const rowsOf = ({ data }: StreamEvent) => (data["rows"] ?? []) as unknown as readonly JsonObject[];

const stores = [
  ["git", "git", false],
  ["etcd", "etcd:team", noEtcd],
] as const;
for (const [name, store, skip] of stores)
  describe(`the page on one of two machines that share by ${name}`, {
    skip,
    timeout: 240_000,
  }, () => {
    let host: string;
    let cluster: EtcdCluster | undefined;
    let ana: Laptop;
    let bo: Laptop;
    let view: ViewClient;
    before(async () => {
      host = makeBareRepository();
      [ana, bo] = [new Laptop(host), new Laptop(host)];
      if (name === "etcd") {
        cluster = await EtcdCluster.start();
        for (const { home } of [ana, bo]) nameCluster(home, { endpoints: cluster.endpoints });
      }
      const who = ["--participant", "claude", "--participant", "gemini", "--store", store];
      ana.done("init", ["--topic", "Which store?", "--session", dialogue, ...who]);
      const words = ["--objective", "Agree", "--completion", "Agreed", "--session", shared];
      ana.done("init", [...words, ...who]);
      for (const id of [dialogue, shared]) bo.done("join", [id, "--store", store]);
      view = await ViewClient.start(ana.folder, [], { HOME: ana.home });
      await view.enter();
    });
    after(async () => {
      await view.end();
      await cluster?.stop();
    });

    /** What comes from another machine takes some calls of git, on a machine that is busy with other tests. */
    const patienceMs = 60_000;
    const until = (
      page: Awaited<ReturnType<ViewClient["follow"]>>,
      fits: (event: StreamEvent) => boolean,
    ) => page.until(fits, 0, patienceMs);
    const isQueue = ({ event }: StreamEvent) => event === "queue";

    it("is told what comes from the other, in the session that it shows and in the list", async () => {
      const list = await view.follow("");
      await until(list, (it) => isQueue(it) && rowsOf(it).length === 2);
      const page = await view.follow(`?key=0:${dialogue}`);
      bo.done("step-in", ["say", "Keep it short.", "--session", dialogue]);
      await until(page, (it) => it.event === "session" && /Keep it short\./.test(textOf(it)));
      // Nobody has asked for anything here meanwhile.
      assert.equal(ana.log(dialogue), bo.log(dialogue));
      ana.say(dialogue, "claude", draft("REQUEST", "Files or SQLite?", open));
      bo.next(dialogue, "gemini");
      bo.say(dialogue, "gemini", draft("RESPONSE", "Files.", { position: "files" }));
      await until(page, (it) => it.event === "session" && /Files\./.test(textOf(it)));
      const isClaudes = ({ id, turn }: JsonObject) => id === dialogue && String(turn) === "claude";
      await until(list, (it) => isQueue(it) && rowsOf(it).some(isClaudes));
      const beside = await view.follow(`?key=0:${shared}`);
      const { data } = await until(beside, ({ event }) => event === "session");
      assert.equal(data["isUnproven"], true);
      bo.done("step-in", ["pause", "Lunch", "--session", shared]);
      await until(beside, (it) => /Lunch/.test(textOf(it)));
      for (const it of [list, page, beside]) it.close();
    });

    it("is where a step reaches the other machine", async () => {
      // The scripts of the other machine take longer than the server keeps a connection for the next request.
      const pass = { ...view.pass, connection: "close" };
      const act = (key: string, verb: string, text: string) =>
        view.write("/api/act", { key: `0:${key}`, verb, text, id: `${key}-${verb}` }, pass);
      for (const [id, verb, text] of [
        [dialogue, "say", "Go on."],
        [shared, "resume", "Go on."],
        [shared, "say", "Be brief."],
      ] as const) {
        const { status, text: told } = await act(id, verb, text);
        assert.equal(status, 200, told);
      }
      assert.doesNotMatch(bo.done("status", ["--session", shared]), /paused/);
      bo.next(dialogue, "gemini");
      assert.match(bo.log(dialogue), /Go on\./);
      assert.match(bo.next(shared, "gemini").stdout, /\| Be brief\.\n/);
    });

    const ofGit = { skip: name !== "git" && "is tried on a ref" };
    it("says so where history was rewritten, and shows it no longer", ofGit, async () => {
      const page = await view.follow(`?key=0:${dialogue}`);
      await until(page, ({ event }) => event === "session");
      // Only of what was seen here can be told that it is gone.
      ana.done("validate", ["--session", dialogue]);
      const ref = `refs/consulta/${dialogue}`;
      const tip = git(host, "rev-parse", ref);
      git(host, "update-ref", ref, `${tip}^`);
      const told = await until(page, ({ event }) => event === "fault");
      assert.match(textOf(told), /history was rewritten: refs\/consulta\/stores on origin/);
      const row = (it: StreamEvent) => rowsOf(it).find(({ id }) => id === dialogue);
      const listed = await until(page, (it) => isQueue(it) && row(it)?.["group"] === "failed");
      assert.match(String(row(listed)?.["why"]), /history was rewritten/);
      assert.equal(rowsOf(listed).length, 2, "it hides no other");
      page.close();
      git(host, "update-ref", ref, tip);
    });
  });
