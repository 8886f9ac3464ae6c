import { runForPerson } from "../session/run-for-person.ts";

runForPerson({
  name: "verdict",
  summary: "Put on record what became of a decision: kept, changed or wrong.",
  options: [{ flags: "--because <text>", text: "why, in a sentence or two" }],
  positionals: ["<kept|changed|wrong>"],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last verdict on a session counts.",
    "status --paid counts them. Example: verdict --session sqlite-or-files kept",
  ],
  does: "verdict records what the user says of a decision",
  step: (args) => ({
    verb: "judge",
    text: args.positionals[0] ?? "",
    because: args.one("because"),
  }),
  said: ({ positionals: [verdict = ""] }, { id }) => [`${id} ${verdict}`],
});
