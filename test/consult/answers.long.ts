import { describe } from "node:test";
import { lost, mended, staysOpen, takesMessages, triesOnceMore, understood } from "./answers.ts";
import { runMaker } from "./consult-run.ts";

describe("consult, whatever a participant answers", { concurrency: 2 }, () => {
  const project = runMaker();
  triesOnceMore(project, mended.slice(1));
  takesMessages(project, understood.slice(2));
  staysOpen(project, lost.slice(1));
});
