import { asLine } from "../base/visible-text.ts";
import { askEvent } from "./ask-event.ts";
import { askMessage } from "./ask-message.ts";
import { askReports } from "./ask-report.ts";
import type { Driver, Turn, TurnResult } from "./driver.ts";
import { InputEnded, type Person, PersonForm } from "./person.ts";

/**
 * Gives the turn to the person at the terminal: shows where the session stands, asks for what the
 * first move needs, line by line, and after a refusal asks again with the former answers at hand.
 */
export function personDriver(person: Person): Driver {
  let former = new Map<string, string>();
  return {
    name: "me",
    // A person is told what is wrong as often as it takes; --time-limit still ends the run.
    triesMax: Number.POSITIVE_INFINITY,
    async takeTurn(turn, signal) {
      if (turn.fault === undefined) former = new Map();
      person.show(
        turn.fault === undefined
          ? `\n${turn.situation}\nAnswer line by line; Enter takes what is in [brackets].\n`
          : `\nThat did not go through: ${asLine(turn.fault)}\nOnce more; Enter keeps what you wrote.\n`,
      );
      try {
        const form = new PersonForm(person, signal, former);
        return { answer: await ask(form, turn), exitCode: 0 };
      } catch (cause) {
        if (!(cause instanceof InputEnded)) throw cause;
        return endOfInput(turn);
      }
    },
  };
}

/** Reports have a script of their own, events a name to give; what has neither is a message. */
async function ask(form: PersonForm, turn: Turn): Promise<string> {
  const { moves } = turn.guidance;
  if (moves.some(({ script }) => script?.name === "post")) return askReports(form, turn);
  const isEvent = moves[0]?.options["event"] !== undefined;
  const said = await (isEvent ? askEvent(form, turn) : askMessage(form, turn));
  return `\`\`\`json\n${JSON.stringify(said)}\n\`\`\``;
}

function endOfInput({ participant }: Turn): TurnResult {
  return { answer: "", exitCode: 1, failure: `${participant} ended the input`, left: true };
}
