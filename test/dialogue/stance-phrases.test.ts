import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { states } from "../../scripts-src/dialogue/phrases.ts";
import { hashOf, holdsWord, names, normalized } from "../../scripts-src/dialogue/prose.ts";

const disagreements = [
  "I disagree.",
  "i disagree with the cache",
  "We strongly disagree with this.",
  "I agree with the cache, but disagree with the lock because it blocks.",
  "I do not agree with the lock.",
  "I don't agree.",
  "I don\u2019t agree.",
  "I cannot agree to that.",
  "I am against the lock.",
  "I'm against it",
  "I\u2019m against it",
  "We are against it.",
  "It would be better to do this with files.",
  "I propose an alternative: files.",
  "I would suggest an alternative.",
  "Не согласен с этим.",
  "Я НЕ СОГЛАСНА",
  "Согласен с кэшем, но не согласен с блокировкой, потому что она мешает.",
  "Я против блокировки.",
  "Мы против блокировки.",
  "Лучше сделать иначе.",
  "Предлагаю альтернативу: файлы.",
  "It'd be better to keep files.",
  "Better to use SQLite.",
  "Disagree.",
  "Disagree: the lock blocks.",
  "The cache is fine. Disagree with the lock.",
  "- Disagree with the lock.",
  "Against.",
  "Лучше использовать SQLite.",
  "Лучше бы хранить это в файлах.",
  "Против.",
  "Файлы просты. Против, потому что они рвутся.",
];
for (const text of disagreements) {
  it(`hears disagreement in: ${text}`, () => assert.equal(states("disagreement", text), true));
}

const noDisagreements = [
  "I agree with the cache.",
  "I am not against the lock.",
  "I'm not against it.",
  "Nobody is against it.",
  "There is nothing I disagree with.",
  "Check against the log.",
  "We check this against the schema.",
  "Protects against power cuts.",
  "Files are better.",
  "A better cache needs less memory.",
  "The predisagreed order holds.",
  "Я не против.",
  "Не против блокировки.",
  "Напротив, всё верно.",
  "Поверните против часовой стрелки.",
  "Вот напротив стоит лучший вариант.",
  "You wrote:\n> I disagree with the lock.\nThat is settled now.",
  "  > Я против.\nЯ согласен.",
  "The error text is `I disagree` there.",
  "```\nI am against it\n```\nruns well.",
  "```js\n// I disagree, never closed",
  'The phrase "I disagree" is a marker.',
  "Фраза «я против» является маркером.",
  "The phrase \u201cI am against it\u201d is a marker.",
  "",
  "я был не согласен, но теперь принимаю",
  "Раньше я была не согласна с кэшем; вопрос снят.",
  "I disagreed at first, and accept it now.",
  "I can't agree more.",
  "Agree or disagree? Please say.",
  "Disagree? Then say why.",
  "This alternative was rejected by the user.",
  "Which is better?",
  "Чем лучше кэш, тем быстрее.",
];
for (const text of noDisagreements) {
  it(`hears no disagreement in: ${JSON.stringify(text)}`, () => {
    assert.equal(states("disagreement", text), false);
  });
}

const acknowledgements: [text: string, expected: boolean][] = [
  ["I agree with the cache, but disagree with the lock because it blocks.", true],
  ["We agree that files are simple.", true],
  ["I agree on the format.", true],
  ["Согласен с кэшем, но не согласен с блокировкой.", true],
  ["Согласна с тобой.", true],
  ["I disagree with the lock.", false],
  ["I don't agree with the lock.", false],
  ["I don\u2019t agree with the lock.", false],
  ["I cannot agree with the lock.", false],
  ["I do not fully agree with the lock.", false],
  ["Не согласен с блокировкой.", false],
  ["> I agree with the cache.\nI disagree with the lock.", false],
  ["`agree with`", false],
  ["The lock is wrong.", false],
];
for (const [text, expected] of acknowledgements) {
  it(`${expected ? "hears" : "hears no"} acknowledgement in: ${text}`, () => {
    assert.equal(states("acknowledgement", text), expected);
  });
}

const acceptances: [text: string, expected: boolean][] = [
  ["I accept your approach to locks.", true],
  ["i accept your proposal", true],
  ["Принимаю твой подход к блокировке.", true],
  ["I accept nothing.", false],
  ["> I accept your approach to locks.", false],
  ["I cannot accept your approach to locks.", false],
  ["Не принимаю твой подход к блокировке.", false],
  ["Принимаю ваше предложение.", true],
];
for (const [text, expected] of acceptances) {
  it(`${expected ? "hears" : "hears no"} acceptance in: ${text}`, () => {
    assert.equal(states("acceptance", text), expected);
  });
}

describe("a point named", () => {
  const said = "The cache must be bounded, and the lock is held for the whole request. Кэш нужен.";
  const table: [point: string, expected: boolean][] = [
    ["the cache must be bounded", true],
    ["The Cache, must be BOUNDED!", true],
    ["lock held whole request", true],
    ["кэш нужен", true],
    ["bounded cache eviction", true],
    ["encrypt the files at rest", false],
    ["the", true],
    ["ache must", false],
    ["", false],
    ["?!", false],
  ];
  for (const [point, expected] of table) {
    it(`${expected ? "finds" : "does not find"} ${JSON.stringify(point)}`, () => {
      assert.equal(names(point, said), expected);
    });
  }

  it("is compared by its words alone", () => {
    assert.equal(normalized("  The\tＣache—is: OK!  "), "the cache is ok");
    assert.equal(normalized("«Кэш» — НУЖЕН"), "кэш нужен");
  });
});

it("gives different texts different hashes and the same text the same", () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `message ${at}`);
  assert.equal(new Set(texts.map(hashOf)).size, texts.length);
  assert.equal(hashOf("Кэш"), hashOf("Кэш"));
  assert.match(hashOf(""), /^[0-9a-f]{16}$/);
});

describe("a word of the user's", () => {
  const held: [text: string, word: string][] = [
    ["Which licences may we use?", "licence"],
    [
      "\u041a\u0430\u043a\u0443\u044e \u043b\u0438\u0446\u0435\u043d\u0437\u0438\u044e \u0432\u0437\u044f\u0442\u044c?",
      "\u043b\u0438\u0446\u0435\u043d\u0437\u0438\u044f",
    ],
    ["\u73b0\u5728\u53d1\u5e03\u5417\uff1f", "\u53d1\u5e03"],
    ["Shall we delete the data now?", "delete the data"],
  ];
  const other: [text: string, word: string][] = [
    ["Which part restarts?", "art"],
    ["It is apparently current", "rent"],
    ["Is it public?", "publish"],
    ["Delete it; the data stays", "delete the data"],
  ];
  for (const [text, word] of held)
    it(`${word} is in: ${text}`, () => assert(holdsWord(text, word)));
  for (const [text, word] of other)
    it(`${word} is not in: ${text}`, () => assert(!holdsWord(text, word)));
});
