import { runForPerson } from "../session/run-for-person.ts";

runForPerson("decide", "records a decision of the user's", {
  name: "decide",
  summary: "Put on record what you, the user, decided after an escalation or a recommendation.",
  positionals: ["<decision>"],
  options: [],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last decision of a session counts.",
    "Example: decide --session sqlite-or-files 'Plain files; SQLite when we have a second writer.'",
  ],
});
