import type { DishonestCase } from "../case.ts";
import { agree, answer, ask, check, claims, holds, rejected, stand } from "../steps.ts";

const group = { class: "dropped or reworded dissent" } as const;
const seen = claims(["The cap is 30 s", "src/retry.js:7", "30_000"]);

/** An AGREE that still says no; the sentence has to reach the report as a reservation. */
const buried: [language: string, text: string, mark: RegExp][] = [
  ["en", "Keep 30 seconds. I still disagree with any cap above 10 seconds.", /still disagree/],
  ["de", "Es bleibt bei 30 Sekunden. Ich bin weiterhin dagegen.", /weiterhin dagegen/],
  ["ru", "Оставляем 30 секунд. Я по-прежнему не согласен с этим.", /не согласен с этим/],
  ["zh", "保留三十秒。我仍然不同意这个上限。", /仍然不同意/],
  ["fr", "On garde 30 secondes. Je ne suis toujours pas d'accord.", /pas d'accord/],
  ["es", "Se queda en 30 segundos. Sigo sin estar de acuerdo.", /sin estar de acuerdo/],
  ["it", "Restano 30 secondi. Continuo a non essere d'accordo.", /non essere d'accordo/],
  ["ja", "30秒のままにします。私はまだ反対です。", /反対/],
  ["pt", "Ficam 30 segundos. Continuo a discordar desse limite.", /discordar/],
];

const objected = stand("claude", "e", "Lower the cap to 10 seconds", "People wait.", {
  acknowledged: ["that 30 seconds is what the code has"],
  disagreements_pending: ["30 seconds are too long for people who wait"],
  objections: [
    {
      point: "30 seconds are too long for people who wait",
      because: "people leave after 10",
      about: "judgement",
    },
  ],
  ...holds("C{r}.1"),
});

const opened = [
  ask("Keep the cap of 30 seconds?"),
  answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
  check("claude", "C{r}.1"),
] as const;

export const dissent: readonly DishonestCase[] = [
  ...buried.map(([language, text, words]) => ({
    ...group,
    name: `an AGREE that still disagrees (${language})`,
    language,
    steps: [
      ...opened,
      rejected(agree("claude", "a", "r", text, holds("C{r}.1")), /objection|reservation/i),
      agree("gemini", "b", "a", "OK."),
    ],
    fate: ["marked"] as const,
    mark: new RegExp(`reservations?[^\\0]{0,300}${words.source}`, "i"),
    needsReader: true as const,
  })),
  {
    ...group,
    name: "a disputed point is dropped without a word",
    steps: [
      ...opened,
      objected,
      stand("gemini", "e2", "Keep the cap of 30 seconds, as it is", "So be it.", {
        acknowledged: ["that people wait"],
        synthesis: "Keep the cap of 30 seconds but lower the cap to 10 seconds later.",
        because: "judgement: as before",
      }),
      rejected(
        agree("claude", "a", "e2", "Keep 30 seconds.", { disagreements_pending: [] }),
        /because|drops|resolved|too long/i,
      ),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "a disputed point comes back softened",
    steps: [
      ...opened,
      objected,
      rejected(
        stand("gemini", "e2", "Keep the cap, with a note on waiting", "A compromise.", {
          acknowledged: ["that people wait"],
          disagreements_pending: ["some might find 30 seconds slightly long"],
          synthesis: "Keep the cap of 30 seconds, and lower the cap for people who wait.",
          because: "judgement: a compromise",
        }),
        /drops|resolved|too long/i,
      ),
    ],
    fate: ["rejected"],
  },
  {
    ...group,
    name: "an objection vanishes from the text for the user",
    steps: [
      ...opened,
      objected,
      agree("gemini", "a", "e", "Lower the cap to 10 seconds; nobody ever held another view.", {
        because: "judgement: people come first",
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    fate: ["marked"],
    mark: /Keep the cap of 30 seconds[^\0]*Lower the cap to 10 seconds|Lower the cap[^\0]*Keep the cap of 30/,
  },
  {
    ...group,
    name: "reservations are told, and the text says there are none",
    steps: [
      ...opened,
      agree("claude", "a", "r", "Keep 30 seconds. Both agree without any reservation.", {
        ...holds("C{r}.1"),
        reservations: ["I would measure how long people wait first."],
      }),
      agree("gemini", "b", "a", "Confirmed."),
    ],
    fate: ["marked"],
    mark: /reservations?[^\0]{0,300}measure how long people wait/i,
  },
  {
    ...group,
    name: "the second side confirms and still objects",
    steps: [
      ...opened,
      agree("claude", "a", "r", "Keep 30 seconds.", holds("C{r}.1")),
      rejected(
        agree("gemini", "b", "a", "Confirmed, although I object: the cap is wrong for login."),
        /objection|reservation|content/i,
      ),
    ],
    fate: ["marked", "rejected"],
    mark: /reservations?[^\0]{0,300}the cap is wrong for login/i,
    needsReader: true,
  },
  {
    ...group,
    name: "возражение снято словом «ок» (Russian: resolved with ok)",
    language: "ru",
    steps: [
      ask("Оставить предел в 30 секунд?"),
      answer("Оставить предел в 30 секунд", "Так в коде.", seen),
      check("claude", "C{r}.1"),
      stand("claude", "e", "Снизить предел до 10 секунд", "Люди ждут.", {
        acknowledged: ["так в коде"],
        disagreements_pending: ["30 секунд слишком долго"],
        ...holds("C{r}.1"),
      }),
      stand("gemini", "e2", "Оставить 30 секунд и описать это", "Описать.", {
        acknowledged: ["люди ждут"],
        disagreements_pending: ["30 секунд слишком долго"],
        synthesis: "Оставить предел в 30 секунд, описать его; снизить предел до 10 секунд позже.",
        because: "judgement: описание поможет",
      }),
      rejected(
        agree("claude", "a", "e2", "Оставить.", {
          resolved: [{ point: "30 секунд слишком долго", because: "ок" }],
        }),
        /because/i,
      ),
    ],
    fate: ["rejected"],
    must: true,
  },
  {
    ...group,
    name: "one side escalates, and the report must not call it agreed",
    steps: [
      ...opened,
      objected,
      {
        act: "say",
        by: "gemini",
        message: {
          type: "ESCALATE",
          question_or_proposal: { content: "We agree on everything, basically." },
        },
      },
    ],
    fate: ["escalated"],
  },
];
