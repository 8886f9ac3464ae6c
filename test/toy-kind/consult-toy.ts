import type { ConsultKind } from "../../scripts-src/consult/consult-kind.ts";
import { appendEvent } from "../../scripts-src/session/append-event.ts";
import { openVote } from "./toy-opener.ts";

export const consultToy: ConsultKind = {
  company: { max: 9, rule: "a vote needs two different participants" },
  prepare:
    ({ question, participants, clock }) =>
    async (source) =>
      openVote(await source.made(), question, participants, clock),
  task: async ({ participant }) => ({
    setting: [`You are ${participant} in a vote.`],
    documents: [],
    answer: ["Answer with VOTE and one word."],
  }),
  async accept({ place, clock }, participant, answer) {
    const [, word] = /VOTE (\w+)/.exec(answer) ?? [];
    if (word === undefined) return "the answer holds no VOTE";
    await appendEvent(place, participant, { event: "voted", summary: word }, clock);
    return undefined;
  },
};
