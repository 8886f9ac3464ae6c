import { runForPerson } from "../session/run-for-person.ts";
import { lineFor } from "../session/session-commands.ts";

runForPerson({
  name: "decide",
  summary: "Put on record what you, the user, decided after an escalation or a recommendation.",
  positionals: ["<decision>"],
  notes: [
    "For people at a terminal: rejected where an AI CLI runs it. The last decision of a session counts.",
    "Example: decide --session sqlite-or-files 'Plain files; SQLite when we have a second writer.'",
  ],
  does: "decide records a decision of the user's",
  step: ({ positionals: [text = ""] }) => ({ verb: "decide", text }),
  said: (args, place) => [
    `your decision on ${place.id}`,
    "its report:",
    lineFor(args, "report", place),
  ],
});
