/**
 * A `command:` participant of any session: reads its task, answers with what it asks for. AGENT_PLAN
 * says how it fails: `NAME:act,NAME:act`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lastWords } from "./scripted-peer.ts";

const { CONSULTA_FOLDER = "", CONSULTA_PARTICIPANT = "", AGENT_PLAN = "" } = process.env;
const prompt = readFileSync(0, "utf8");
const plan = new Map(
  AGENT_PLAN.split(",").map((entry) => [entry.split(":")[0], entry.split(":")[1]]),
);

switch (plan.get(CONSULTA_PARTICIPANT)) {
  case "crash":
    console.error("boom: out of luck");
    process.exit(3);
    break;
  case "chatter":
    console.log("I would rather talk about the weather.");
    break;
  case "hang":
    appendFileSync(join(CONSULTA_FOLDER, ".hangs"), `${process.pid}\n`);
    setInterval(() => undefined, 1_000);
    break;
  default:
    console.log(lastWords(prompt, CONSULTA_PARTICIPANT, CONSULTA_FOLDER));
}
