import type { Guidance, Move } from "../../scripts-src/protocol/protocol.ts";

/** What a participant with the turn is told where a test is about something else. */
export function guidanceWith(moves: Move[] = [], documents: string[] = []): Guidance {
  return {
    turn: "yours",
    standing: [],
    received: [],
    receivedEarlier: 0,
    obligations: [],
    advice: [],
    moves,
    documents,
  };
}
