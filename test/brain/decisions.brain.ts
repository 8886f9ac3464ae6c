import "./own-home.ts";
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { sessionMemories } from "../../scripts-src/brain/rules/session-memories.ts";
import { SessionLearner } from "../../scripts-src/brain/server/learn-sessions.ts";
import type { SqliteStore } from "../../scripts-src/brain/store/sqlite-store.ts";
import { decide } from "../dialogue/finished.ts";
import { Project } from "../dialogue/project.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { draft, time } from "./check-brain-store.ts";
import { codingPrompts, storeCodingMemories } from "./coding-fixture.ts";
import { underBrainNode } from "./under-brain-node.ts";

/** What two agents agreed on at some length: most of it says why, and names other things. */
const long = (position: string) =>
  `${position} The session files are read whole at each start, which takes two milliseconds for the ` +
  "largest that we have. A migration would have to keep the old files for a release. We looked at the " +
  "lock that the nightly export takes, at what Windows does with open handles, and at the size of the " +
  `package. Nobody asked for a search. ${"If that changes, this is looked at again. ".repeat(20)}`;

const key = "consulta/talk/decision";

await underBrainNode(import.meta.url, async () => {
  const { openSqliteStore } = await import("../../scripts-src/brain/store/sqlite-store.ts");

  describe("a decision among the memories of a coding project", () => {
    let project: Project;
    let folder: string;
    let store: SqliteStore;
    beforeEach(async () => {
      project = new Project();
      folder = makeScratchFolder();
      store = await openSqliteStore(folder);
      storeCodingMemories(store);
    });
    afterEach(() => {
      store.close();
      for (const path of [folder, project.folder]) removeFolder(path);
    });
    const learn = () => {
      const now = () => new Date().toISOString();
      const options = { project: project.folder, store, now, patienceMs: 60_000 };
      return new SessionLearner({ ...options, note: () => {} }).look();
    };
    const relevant = (prompt: string) => store.relevant(prompt, "s").map((match) => match.key);

    for (const [name, text] of [
      ["in two lines", "Nobody searches them, as far as I can see.\n\nFiles, behind one module."],
      ["at length", long("Files, behind one module.")],
    ] as const) {
      it(`comes up for a prompt on its subject, agreed ${name}`, async () => {
        decide(project, "talk", "SQLite or files for the sessions?", text);
        await learn();
        assert.deepEqual(relevant("Do we keep sessions in SQLite or in files?"), [key]);
        assert.deepEqual(relevant("SQLite or files for the sessions?"), [key]);
        // What it only mentions is not what it is about.
        for (const prompt of [
          "Why does the nightly export take so long?",
          "Does Windows keep the package open?",
        ])
          assert.equal(relevant(prompt).includes(key), false, prompt);
        const offTopic = codingPrompts.filter(({ expects }) => expects.length === 0);
        assert.deepEqual(
          offTopic.filter(({ prompt }) => relevant(prompt).includes(key)),
          [],
        );
      });
    }
  });

  describe("decisions", () => {
    it("do not come up by the words in which we say how they came about", async () => {
      const folder = makeScratchFolder();
      const store = await openSqliteStore(folder);
      storeCodingMemories(store);
      const ended = {
        ...{ kind: "dialogue", participants: ["claude", "gemini"], date: "2026-11-23" },
        conclusions: [
          {
            what: "decision" as const,
            outcome: "CONSENSUS, 2 of 5 claims seen, 3 assumed; changed since, says the user",
            text: "Keep them in files.",
          },
        ],
      };
      for (const topic of ["SQLite or files?", "Which token library?", "Who rotates the logs?"]) {
        const id = topic.slice(0, 3).toLowerCase();
        const [memory] = sessionMemories({ ...ended, id, topic });
        assert(memory !== undefined);
        store.store(memory, time(1));
        assert.deepEqual(store.retrieve(memory.key)?.value, memory.value);
      }
      for (const prompt of [
        "Which claims does the assumed role hold?",
        "Let gemini and claude hold a dialogue",
        "Write a dialogue about a hard decision",
        "What is the consensus on claude vs gemini?",
        "The claims that we have seen are only assumed",
      ]) {
        assert.deepEqual(store.relevant(prompt, "s"), [], prompt);
      }
      store.close();
      removeFolder(folder);
    });
  });

  describe("a long memory", () => {
    it("comes up by the words of its key and tags, in any language and script", async () => {
      const folder = makeScratchFolder();
      const store = await openSqliteStore(folder);
      storeCodingMemories(store);
      const memories: [key: string, tags: string[], prompt: string][] = [
        ["ru/logs", ["логи", "продакшен"], "Где лежат логи продакшена?"],
        [
          "de/rechnung",
          ["Rechnungsversand", "Mahnung"],
          "Wann geht der Rechnungsversand, wann die Mahnungen raus?",
        ],
        ["zh/cert", ["推送证书", "续期"], "推送证书什么时候续期？"],
      ];
      for (const [name, tags] of memories) {
        const value = `${"Es gibt dazu viel zu sagen und noch mehr zu lesen. ".repeat(30)}`;
        store.store({ ...draft(name, value), tags }, time(1));
      }
      for (const [name, , prompt] of memories) {
        assert.deepEqual(
          store.relevant(prompt, "s").map((match) => match.key),
          [name],
          prompt,
        );
      }
      store.close();
      removeFolder(folder);
    });
  });
});
