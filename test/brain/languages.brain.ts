import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { BrainStore } from "../../scripts-src/brain/store/brain-store.ts";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { draft, time } from "./given.ts";
import { type LanguageSet, measureLanguages, readLanguages } from "./languages-fixture.ts";

const foundMin = 0.55;
/** Of prompts that hold the project's words, but that no memory answers. */
const unansweredShareMax = 3 / 30;
const sets: readonly LanguageSet[] = ["held-out", "tuning"];

import { openStore } from "../../scripts-src/brain/store/brain-store.ts";

describe("the first memories of a project in four languages", () => {
  const folder = makeScratchFolder();
  let folders = 0;
  const open = () => openStore(join(folder, String(folders++)));
  for (const set of sets) {
    it(`come up when they are needed, from the first on, and hardly else (${set})`, async (t) => {
      const figures = await measureLanguages(set, open);
      const { asked, found, offTopicFired, unanswered, unansweredFired } = figures;
      const [few, more] = found.map((count, at) => count / (asked[at] ?? 0));
      t.diagnostic(`${set}: ${few} of those in brains of 1 to 9, ${more} in larger ones`);
      for (const prompt of unansweredFired) t.diagnostic(`no answer in it: ${prompt}`);
      assert((few ?? 0) >= foundMin && (more ?? 0) >= foundMin, "too little was found");
      assert.deepEqual(offTopicFired, []);
      const most = unansweredShareMax * unanswered;
      assert(unansweredFired.length <= most, `fired on ${unansweredFired.length}`);
    });

    it(`are as many as were agreed, each language in equal measure (${set})`, () => {
      const lines = readLanguages(set);
      const of = (kind: string) => lines.filter((line) => line.kind === kind);
      const kinds = ["memory", "answered", "off-topic", "unanswered"];
      const unanswered = set === "tuning" ? 90 : 30;
      const counts = kinds.map((kind) => of(kind).length);
      assert.deepEqual(counts, [30, 60, 60, unanswered]);
      const languages = new Set(lines.map(({ language }) => language));
      assert.equal(languages.size, 4);
      for (const language of languages) {
        const share = lines.filter((line) => line.language === language).length;
        assert(Math.abs(share - lines.length / 4) <= 4, `${language}: ${share}`);
      }
    });
  }
  it("leave nothing behind", () => removeFolder(folder));
});

describe("a brain in whatever script", () => {
  let folder: string;
  let store: BrainStore;
  beforeEach(async () => {
    folder = makeScratchFolder();
    store = await openStore(folder);
  });
  afterEach(() => {
    store.close();
    removeFolder(folder);
  });
  const keys = (query: string) => store.memories.search(query, 5).map(({ key }) => key);

  // Each is asked in words that are written otherwise, or not apart.
  const memories: [name: string, value: string, query: string][] = [
    ["Chinese", "推送证书每年三月到期，由李薇更新", "证书什么时候到期"],
    ["Japanese", "平均は小数第二位で四捨五入する", "四捨五入のやり方"],
    ["Korean", "스테이징 배포는 make ship으로 한다", "배포를 어떻게 하나요"],
    ["Russian", "Логи продакшена лежат в Loki", "где искать в логах"],
    ["German", "Die Rechnungen werden nachts verschickt", "wann kommt eine Rechnung"],
    ["French", "Les factures sont envoyées pendant la nuit", "quand part une facture"],
    ["Spanish", "Los pagos se procesan en una cola aparte", "dónde está el pago"],
    ["Italian", "Le fatture vengono spedite di notte", "dove trovo la fattura"],
    ["Portuguese", "As faturas são enviadas durante a noite", "quando vai uma fatura"],
    ["Dutch", "De bestellingen worden 's nachts verstuurd", "waar is mijn bestelling gebleven"],
    ["English", "Invoices are sent at night", "when is an invoice sent"],
  ];
  for (const [name, value, query] of memories) {
    it(`finds a memory in ${name} for who asks by hand`, () => {
      for (const [key, text] of memories) store.memories.store(draft(key, text), time(1));
      assert.equal(keys(query)[0], name, value);
    });
  }

  it("finds a word of signs that say nothing to who asks for it", () => {
    store.memories.store(draft("a", "おすすめはここにある"), time(1));
    assert.deepEqual(keys("おすすめ"), ["a"]);
    assert.deepEqual(keys("さようなら"), []);
  });

  it("counts a word once, however many signs and parts it has", () => {
    store.memories.store(draft("db", "データベースは毎晩保存する"), time(1));
    store.memories.store(draft("service", "AttendanceService locks the row it writes"), time(1));
    assert.deepEqual(
      store.memories.relevant("データベースの名前を変更したい", store.sessions.known("s")),
      [],
    );
    assert.deepEqual(
      store.memories.relevant(
        "rename AttendanceService to PresenceService",
        store.sessions.known("s"),
      ),
      [],
    );
  });

  it("is not brought up by everything when a memory is stuffed with words", () => {
    const lines = readLanguages("tuning");
    const prompts = lines.flatMap(({ prompt = "" }) => (prompt === "" ? [] : [prompt]));
    store.memories.store(
      draft("stuffed", [...new Set(prompts.join(" ").split(" "))].join(" ")),
      time(1),
    );
    const fired = () => {
      const brought = prompts.map((prompt) =>
        store.memories.relevant(prompt, store.sessions.known("s")),
      );
      return brought.filter((matches) => matches.some(({ key }) => key === "stuffed")).length;
    };
    assert(fired() <= 0.03 * prompts.length, `alone: ${fired()} of ${prompts.length}`);
    for (const { kind, key, value } of lines) {
      if (kind === "memory") store.memories.store(draft(key, value), time(2));
    }
    assert.equal(fired(), 0, "among others");
  });
});
