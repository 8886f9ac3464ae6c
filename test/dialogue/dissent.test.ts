import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dissentIn } from "../../scripts-src/dialogue/dissent.ts";
import { isNoAnswer } from "../../scripts-src/dialogue/no-answer.ts";
import { holdsWord } from "../../scripts-src/dialogue/owner-words.ts";

const dissenting = [
  "I still disagree with any cap above 10 seconds.",
  "For the record, I think this is a mistake.",
  "Ich halte das nach wie vor f\u00fcr falsch.",
  "\u00dcberzeugt bin ich davon nicht.",
  "\u042f \u0432\u0441\u0451 \u0435\u0449\u0451 \u0441\u0447\u0438\u0442\u0430\u044e, \u0447\u0442\u043e \u044d\u0442\u043e \u043e\u0448\u0438\u0431\u043a\u0430.",
  "\u042f \u043f\u043e-\u043f\u0440\u0435\u0436\u043d\u0435\u043c\u0443 \u043d\u0435 \u0441\u043e\u0433\u043b\u0430\u0441\u0435\u043d \u0441 \u044d\u0442\u0438\u043c.",
  "Je ne suis toujours pas d'accord.",
  "Sigo pensando que es un error.",
  "Continuo a non essere d'accordo.",
  "Continuo a discordar desse limite.",
  "\u305f\u3060\u3057\u3001\u3053\u306e\u4e0a\u9650\u306b\u306f\u7d0d\u5f97\u3057\u3066\u3044\u307e\u305b\u3093\u3002",
  "\u79c1\u306f\u307e\u3060\u53cd\u5bfe\u3067\u3059\u3002",
  "\u6211\u4ecd\u7136\u4e0d\u540c\u610f\u8fd9\u4e2a\u4e0a\u9650\u3002",
];

const agreeing = [
  "I have no objection left, and do not disagree with any of it.",
  "I think five attempts are enough.",
  "\u042f \u0431\u044b\u043b \u043d\u0435 \u0441\u043e\u0433\u043b\u0430\u0441\u0435\u043d \u0441 \u044d\u0442\u0438\u043c \u0440\u0430\u043d\u044c\u0448\u0435.",
  "The comparison in isRight is wrong; fix it.",
  "Ich habe nichts dagegen, dagegen spricht nichts.",
  "Es wird ein Fehler geworfen.",
  "\u0412\u043e\u0437\u0440\u0430\u0436\u0435\u043d\u0438\u0439 \u043d\u0435\u0442, \u044f \u0431\u043e\u043b\u044c\u0448\u0435 \u043d\u0435 \u043f\u0440\u043e\u0442\u0438\u0432.",
  "No tengo objeciones ni estoy en contra.",
  "\u7570\u8ad6\u306f\u3042\u308a\u307e\u305b\u3093\u3002",
  "\u6ca1\u6709\u5f02\u8bae\u3002",
];

describe("what an AGREE still objects to", () => {
  for (const text of dissenting)
    it(`is kept: ${text}`, () => assert.deepEqual(dissentIn(`Keep it. ${text}`), [text]));
  for (const text of agreeing)
    it(`is nothing: ${text}`, () => assert.deepEqual(dissentIn(`Keep it. ${text}`), []));
});

describe("an answer", () => {
  const none = [
    "I do not know.",
    "See above.",
    "TBD",
    "It depends",
    "Non lo so.",
    "...",
    "Depende",
    ...["We cannot say", "don't know", "Can't tell you", "Ich weiß es nicht", "Weiss nicht"],
    ...["Das weiß ich nicht", "Keine Ahnung, ehrlich", "Je sais pas", "Não sei", "Nao sei"],
    ...["No idea", "No sé", "No lo se", "Not sure", "Nobody knows", "unknown", "Unsure", "Maybe"],
    ...["As noted earlier", "Siehe oben", "wie gesagt", "Voir plus haut", "Vedi sopra"],
    ...["Ver arriba", "We will check it up later", "I'll look later", "n/a", "TBA", "todo"],
    ...["To be defined", "later", "Später", "más tarde", "Plus tard", "più tardi"],
    ...["That all depends on your use case", "Depends", "Das kommt ganz darauf an"],
    ...["Es hängt davon ab", "Kommt drauf an", "Depende de la situación", "Dipende dal caso"],
    ...["Ça dépend du contexte", "Cela dépend", "Не знаем", "待定", "知りません", "모르겠습니다"],
  ];
  const some = [
    "It depends on the size: files below 1 MB.",
    "No.",
    "Five.",
    "Later than the commit",
    ...["No lock", "To be safe, lock it", "Plus one lock", "We cannot lock it", "Non è così"],
  ];
  for (const text of none) it(`is none: ${text}`, () => assert(isNoAnswer(text)));
  for (const text of some) it(`is one: ${text}`, () => assert(!isNoAnswer(text)));
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
