import { runForPerson } from "../session/run-for-person.ts";

runForPerson("judge", "records what the user says of a decision", {
  name: "verdict",
  summary: "Put on record what became of a decision: kept, changed or wrong.",
  positionals: ["<kept|changed|wrong>"],
  options: [{ flags: "--because <text>", text: "why, in a sentence or two" }],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last verdict on a session counts.",
    "status --paid counts them. Example: verdict --session sqlite-or-files kept",
  ],
});
