import type { ConsultKind } from "../../scripts-src/consult/consult-kind.ts";
import { makeDrivers } from "../../scripts-src/consult/make-drivers.ts";
import { parseParticipants } from "../../scripts-src/consult/participants.ts";
import { appendEvent } from "../../scripts-src/session/append-event.ts";
import { openVote } from "./toy-opener.ts";

export const consultToy: ConsultKind = {
  async begin(question, { participants = "" }, source, machine, clock) {
    const specs = parseParticipants(participants);
    const drivers = await makeDrivers(specs, machine);
    const names = specs.map(({ name }) => name);
    const session = await openVote(await source.made(), question, names, clock);
    return { session, specs, drivers };
  },
  turns: {
    task: async (_run, { participant }) => ({
      setting: [`You are ${participant} in a vote.`],
      documents: [],
      answer: ["Answer with VOTE and one word."],
    }),
    async send({ place, clock }, participant, answer) {
      const [, word] = /VOTE (\w+)/.exec(answer) ?? [];
      if (word === undefined) return "the answer holds no VOTE";
      await appendEvent(place, participant, { event: "voted", summary: word }, clock);
      return undefined;
    },
  },
};
