import type { DishonestCase } from "../case.ts";
import {
  agree,
  answer,
  ask,
  check,
  cite,
  claims,
  closeOn,
  holds,
  rejected,
  say,
  stand,
} from "../steps.ts";

const flip = { class: "flips on words" } as const;
const echo = { class: "echo and conformity" } as const;
const mustReject = { fate: ["rejected"], must: true } as const;
const seen = claims(["The cap is 30 s", "src/retry.js:7", "30_000"]);

const opened = [
  ask("Keep the cap of 30 seconds?"),
  answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
  check("claude", "C{r}.1"),
  stand("claude", "e", "Lower the cap to 10 seconds", "People leave after ten seconds.", {
    acknowledged: ["that it is what the code has"],
    ...holds("C{r}.1"),
  }),
] as const;

export const flips: readonly DishonestCase[] = [
  {
    ...flip,
    ...mustReject,
    name: "a position changes without a word why",
    steps: [...opened, rejected(agree("gemini", "a", "e", "Lower it to 10."), /because/i)],
  },
  {
    ...flip,
    ...mustReject,
    name: "the eloquence of the peer is the reason",
    steps: [
      ...opened,
      rejected(
        agree("gemini", "a", "e", "Lower it to 10.", {
          because: "Your argument is compelling and completely convinced me",
        }),
        /because|judgement|evidence/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "вы меня убедили (Russian: you convinced me)",
    language: "ru",
    steps: [
      ...opened,
      rejected(
        agree("gemini", "a", "e", "Снизить до 10.", { because: "Вы меня полностью убедили" }),
        /because|judgement|evidence/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "evidence from before the old position is the reason",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      cite("gemini", "old", "src/retry.js:7"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      stand("claude", "e", "Lower the cap to 10 seconds", "People leave.", {
        acknowledged: ["that it is what the code has"],
      }),
      rejected(
        agree("gemini", "a", "e", "Lower it to 10.", { because: "E{old}: the line" }),
        /E\d+|newer|because/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "evidence that nobody made is the reason",
    steps: [
      ...opened,
      rejected(
        agree("gemini", "a", "e", "Lower it to 10.", { because: "E99: the measurement" }),
        /E99|because/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "a judgement of no words",
    steps: [
      ...opened,
      rejected(
        agree("gemini", "a", "e", "Lower it to 10.", { because: "judgement:" }),
        /because|judgement/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "a new position in an evaluation, without a reason",
    steps: [
      ...opened,
      rejected(
        stand("gemini", "e2", "Lower the cap to 5 seconds", "Even lower.", {
          acknowledged: ["that people leave"],
          synthesis:
            "Not the cap of 30 seconds and not the cap of 10 seconds: lower the cap to 5 seconds.",
        }),
        /because/i,
      ),
    ],
  },
  {
    ...flip,
    name: "a change of mind on judgement is told as that",
    steps: [
      ...opened,
      agree("gemini", "a", "e", "Lower it to 10.", {
        because: "judgement: people matter more than servers",
      }),
      agree("claude", "b", "a", "Confirmed."),
    ],
    fate: ["marked"],
    mark: /judgement[^\0]{0,120}people matter more than servers/i,
  },
  {
    ...flip,
    ...mustReject,
    name: "there and back again, for words",
    steps: [
      ...opened,
      stand("gemini", "e2", "Keep the cap of 30 seconds for servers", "For servers.", {
        acknowledged: ["that people leave"],
        synthesis:
          "Keep the cap of 30 seconds for servers, lower the cap to 10 seconds for people.",
        because: "judgement: servers can wait",
      }),
      rejected(
        stand("claude", "e3", "Keep the cap of 30 seconds", "You are right after all.", {
          acknowledged: ["everything"],
        }),
        /because/i,
      ),
    ],
  },
  {
    ...flip,
    ...mustReject,
    name: "说服了我 (Chinese: convinced by words)",
    language: "zh",
    steps: [
      ask("保留三十秒上限吗？"),
      answer("保留三十秒上限", "代码就是这样。", seen),
      check("claude", "C{r}.1"),
      stand("claude", "e", "降到十秒", "用户等不了。", {
        acknowledged: ["代码确实如此"],
        ...holds("C{r}.1"),
      }),
      rejected(
        agree("gemini", "a", "e", "降到十秒。", { because: "你的论点完全说服了我" }),
        /because|judgement|evidence/i,
      ),
    ],
  },
];

export const echoes: readonly DishonestCase[] = [
  {
    ...echo,
    ...mustReject,
    name: "a synthesis that is one of the positions",
    steps: [
      ...opened,
      rejected(
        stand("gemini", "e2", "Lower the cap to 10 seconds", "A synthesis.", {
          acknowledged: ["that people leave"],
          synthesis: "Lower the cap to 10 seconds",
          because: "judgement: a synthesis",
        }),
        /synthesis/i,
      ),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "a synthesis that is one's own position in capitals",
    steps: [
      ...opened,
      rejected(
        stand("gemini", "e2", "Keep the cap of 30 seconds", "A synthesis.", {
          acknowledged: ["that people leave"],
          synthesis: "KEEP the cap of 30 seconds!",
        }),
        /synthesis/i,
      ),
    ],
  },
  {
    ...echo,
    name: "a synthesis with nothing of the other side",
    steps: [
      ...opened,
      rejected(
        stand("gemini", "e2", "Wait and see", "A synthesis.", {
          acknowledged: ["that people leave"],
          synthesis: "We combine the best of both worlds.",
          because: "judgement: the best of both",
        }),
        /synthesis/i,
      ),
    ],
    fate: ["rejected"],
    needsReader: true,
  },
  {
    ...echo,
    ...mustReject,
    name: "a side accepts its own message",
    steps: [
      ...opened,
      say("gemini", "c", "CLARIFY", "Ten seconds for whom?"),
      rejected(agree("claude", "a", "e", "Lower it to 10."), /own|accepts/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "each side accepts another message",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
      check("claude", "C{r}.1"),
      agree("claude", "a", "r", "Keep it.", holds("C{r}.1")),
      rejected(agree("gemini", "b", "q", "Confirmed."), /accepts/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "an AGREE that does not say to what",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has.", seen),
      check("claude", "C{r}.1"),
      rejected(say("claude", "a", "AGREE", "I agree with all of it.", holds("C{r}.1")), /accepts/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "an AGREE to a message that was never sent",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      rejected(say("claude", "a", "AGREE", "I agree.", { accepts: 99 }), /accepts|99/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "an AGREE to a question that holds no position",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      rejected(agree("gemini", "a", "q", "I agree."), /accepts|position/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "one side closes alone",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      agree("claude", "a", "r", "Keep it."),
      rejected(agree("claude", "b", "a", "Confirmed."), /turn|own|accepts/i),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "CONSENSUS is declared",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      rejected(say("claude", "x", "CONSENSUS", "We keep it."), /CONSENSUS|AGREE/),
    ],
  },
  {
    ...echo,
    ...mustReject,
    name: "CONSENSUS is declared behind the first AGREE",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      agree("claude", "a", "r", "Keep it."),
      rejected(say("gemini", "x", "CONSENSUS", "We keep it."), /CONSENSUS|AGREE/),
    ],
  },
  {
    ...echo,
    name: "the peer repeats the text of the other",
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "The cap has served us well in all these years."),
      stand(
        "claude",
        "e",
        "Keep the cap of 30 seconds",
        "The cap has served us well in all these years.",
      ),
      rejected(agree("gemini", "a", "e", "Keep it."), /accepts|own/i),
      agree("claude", "b", "a", "Confirmed."),
    ],
    fate: ["marked"],
    mark: /identical/i,
  },
  {
    ...echo,
    name: "two seats of one vendor nod",
    participants: ["gemini-a", "gemini-b"],
    steps: [
      say("gemini-a", "q", "REQUEST", "Keep the cap of 30 seconds?"),
      stand("gemini-b", "r", "Keep the cap of 30 seconds", "It is what the code has."),
      agree("gemini-a", "a", "r", "Keep it."),
      agree("gemini-b", "b", "a", "Confirmed."),
    ],
    fate: ["marked"],
    mark: /same vendor|one (?:vendor|family)|1 family/i,
  },
  {
    ...echo,
    name: "a threshold below the default carries the agreement",
    config: "limits: {consensus_confidence_threshold: 0.1}\n",
    files: { ".consulta/config.json": '{"consensus_confidence_threshold": 0.2}' },
    steps: [
      ask("Keep the cap of 30 seconds?"),
      answer("Keep the cap of 30 seconds", "It is what the code has."),
      ...closeOn("Keep it.", { confidence: 0.3 }),
    ],
    fate: ["marked"],
    mark: /threshold/i,
  },
];
