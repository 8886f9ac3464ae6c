import { isRecord, type JsonObject, quote } from "../../base/json.ts";
import { limits } from "../../base/limits.ts";
import { nameHint } from "../../base/nearest-name.ts";
import { isoSecond, isTime, millisecondsOf, notBefore } from "../../base/time.ts";
import type { LogEvent } from "../../log/event.ts";
import type { Addition, Decision, Refusal, Submission } from "../../protocol/protocol.ts";
import {
  findingFile,
  higherNumber,
  numberOf,
  parseAgentName,
  pathOf,
  slugOfTopic,
} from "./board-names.ts";
import { contentOf, type FindingContent } from "./finding-content.ts";
import { isReadyMarked } from "./foreign-changes.ts";
import { agentLine, deadlineLine } from "./meta-and-agents.ts";
import {
  agentOf,
  type BoardAgent,
  type BoardState,
  deadlineOf,
  findingOf,
  isNewContent,
} from "./state.ts";

/** Decides on one submission to a board (seed 004; originals.md section 3). */
export function decide(state: BoardState, submission: Submission): Decision {
  const name = submission.fields["event"];
  if (state.seq === 0 && name !== "board_opened") {
    return refused("the board's log has not begun; run register with its folder and your name");
  }
  switch (name) {
    case "board_opened":
      return opened(state, submission);
    case "registered":
      return registered(state, submission);
    case "deadline_set":
      return deadlineSet(state, submission);
    case "numbered":
      return numbered(state, submission);
    case "posted":
      return posted(state, submission);
    case "readied":
    case "withdrawn":
      return marked(state, submission, name);
    default:
      return refused(
        `${quote(name)} is no event of a board; use its scripts: register, post, ready, poll, read-all`,
      );
  }
}

function refused(reason: string, code?: Refusal["code"]): Refusal {
  return { ok: false, reason, code };
}

/** The event of a submission at its place. */
function eventOf(
  state: BoardState,
  submission: Submission,
  event: string,
  summary: string,
  more: JsonObject = {},
): LogEvent {
  const { participant: from, origin, id } = submission;
  const at = notBefore(state.lastAt, submission.at);
  const noticed = origin === "folder" && from !== "consulta" ? { noticed: true } : {};
  const short = summary.slice(0, limits.summaryCharacters).toWellFormed();
  return { seq: state.seq + 1, from, event, at, summary: short, id, ...noticed, ...more };
}

function opened(state: BoardState, submission: Submission): Decision {
  if (state.seq > 0) return refused("the board is open already", "EXISTS");
  const { expectedAgents, timeoutSeconds, about } = state.settings;
  const terms = { expected_agents: expectedAgents, timeout_seconds: timeoutSeconds };
  const summary = about === "" ? `a board for ${expectedAgents} agents` : about;
  const more = about === "" ? terms : { ...terms, about };
  return { ok: true, event: eventOf(state, submission, "board_opened", summary, more) };
}

function registered(state: BoardState, submission: Submission): Decision {
  const { participant, origin, files } = submission;
  const name = parseAgentName(participant);
  if (agentOf(state, name) !== undefined) {
    return refused(
      `${name} is registered already; go on if that was you, else choose another name, such as ${name}-2`,
      "EXISTS",
    );
  }
  if (state.agents.length >= limits.boardAgents) {
    return refused(`the board has ${state.agents.length} agents, the limit; make another board`);
  }
  if (origin === "script" && files.get("agents.md")?.text === undefined) {
    const fault = files.get("agents.md")?.fault ?? "is missing";
    return refused(`agents.md ${fault}: this is no whole board; make one with init DIR N`);
  }
  const event = eventOf(state, submission, "registered", `${name} registered`);
  if (origin === "folder") return { ok: true, event: withTime(event, submission) };
  const line = agentLine(name, isoSecond(millisecondsOf(event.at)));
  return { ok: true, event, additions: [{ as: "line", path: "agents.md", text: line }] };
}

/** When an agent registered elsewhere, where its line says so credibly. */
function withTime(event: LogEvent, { fields }: Submission): LogEvent {
  const since = fields["registered_at"];
  const isPlain = typeof since === "string" && /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since);
  const isPast = isPlain && millisecondsOf(since) <= millisecondsOf(event.at);
  return isPast ? { ...event, registered_at: since } : event;
}

/** An original that registered first writes the deadline right after: it is given the time. */
const graceMs = 3_000;

function deadlineSet(state: BoardState, submission: Submission): Decision {
  if (deadlineOf(state) !== "") return refused("the board has its deadline", "EXISTS");
  const [first] = state.agents;
  if (first === undefined) return refused("the first registration sets the deadline", "NOT_YET");
  const since = millisecondsOf(isTime(first.since) ? first.since : submission.at);
  if (!first.ours && millisecondsOf(submission.at) < since + graceMs) {
    return refused(`${first.name} may be setting the deadline right now`, "NOT_YET");
  }
  const deadline = isoSecond(since + state.settings.timeoutSeconds * 1_000);
  const event = eventOf(state, submission, "deadline_set", `deadline ${deadline}`, { deadline });
  const addition: Addition = { as: "line", path: "meta.md", text: deadlineLine(deadline) };
  return { ok: true, event, additions: [addition] };
}

function numbered(state: BoardState, submission: Submission): Decision {
  const agent = agentOf(state, submission.participant);
  if (agent === undefined) return notRegistered(state, submission);
  const file = nextFile(agent, submission);
  const event = eventOf(state, submission, "numbered", `${agent.name} begins ${file}`, { file });
  return {
    ok: true,
    event,
    additions: [{ as: "file", path: pathOf(`${agent.name}/${file}`), text: "" }],
  };
}

/** The content of a finding: of a new one with its text, or of one whose file is there already. */
function posted(state: BoardState, submission: Submission): Decision {
  const agent = agentOf(state, submission.participant);
  if (agent === undefined) return notRegistered(state, submission);
  const { file, text } = submission.fields;
  const content = contentOf(submission.fields);
  if (content === undefined || (typeof file === "string") === (typeof text === "string")) {
    return refused("a finding is posted with: post DIR NAME TOPIC --file REPORT.md");
  }
  if (typeof file === "string") return recorded(state, submission, file, content);
  const same = sameFinding(agent, submission);
  if (same !== undefined) return { ok: true, already: same };
  const fresh = nextFile(agent, submission);
  const event = eventOf(state, submission, "posted", content.title, { file: fresh, content });
  const addition = {
    as: "file",
    path: pathOf(`${agent.name}/${fresh}`),
    text: String(text),
  } as const;
  return { ok: true, event, additions: [addition] };
}

function recorded(
  state: BoardState,
  submission: Submission,
  file: string,
  content: FindingContent,
): Decision {
  const { participant } = submission;
  const { sha256, watched: isAuthors } = content;
  const known = findingOf(state, participant, file);
  const isNews = isNewContent(state, participant, file, { sha256, isAuthors });
  if (known !== undefined && !isNews) return { ok: true, already: known.seq };
  const summary = content.title === "" ? file : content.title;
  return { ok: true, event: eventOf(state, submission, "posted", summary, { file, content }) };
}

/** The same report posted again, by an agent that does not know whether it got through. */
function sameFinding(agent: BoardAgent, { files, fields }: Submission): number | undefined {
  const { topic, text, content } = fields;
  const ending = `-${slugOfTopic(String(topic))}.md`;
  const same = filesWithHash(agent, content).find(
    (file) => file.endsWith(ending) && files.get(pathOf(`${agent.name}/${file}`))?.text === text,
  );
  return same === undefined ? undefined : agent.findings[same]?.seq;
}

/** The reports of an agent that had this content when they were recorded. */
export function filesWithHash({ findings }: BoardAgent, content: unknown): string[] {
  const wanted = isRecord(content) ? content["sha256"] : undefined;
  return Object.keys(findings).filter((file) => findings[file]?.sha256 === wanted);
}

/** A number is never given twice, whatever was deleted or made by hand meanwhile. */
function nextFile(agent: BoardAgent, { files, fields }: Submission): string {
  const names = files.get(`findings/${agent.name}`)?.names ?? [];
  const last = names.reduce(
    (highest, name) => higherNumber(highest, numberOf(name)),
    agent.lastNumber,
  );
  return findingFile(last + 1, slugOfTopic(String(fields["topic"])));
}

/** `.ready` is what counts, for the original scripts as well; the log follows it. */
function marked(
  state: BoardState,
  submission: Submission,
  name: "readied" | "withdrawn",
): Decision {
  const agent = agentOf(state, submission.participant);
  if (agent === undefined) return notRegistered(state, submission);
  const ready = name === "readied";
  if (isReadyMarked(submission.files, agent.name) !== ready) {
    return refused(
      `findings/${agent.name}/.ready says otherwise; an agent gets ready with ready DIR NAME`,
    );
  }
  if (agent.ready === ready) return { ok: true, already: state.seq };
  const words = ready ? "is ready" : "is no longer ready";
  return { ok: true, event: eventOf(state, submission, name, `${agent.name} ${words}`) };
}

/** Why an agent that is not registered can do nothing yet. */
export function notRegistered(
  state: BoardState,
  { participant }: Pick<Submission, "participant">,
): Refusal {
  const names = state.agents.map(({ name }) => name);
  const who = names.length === 0 ? "nobody is yet" : nameHint(participant, names, "registered are");
  const way = `if ${quote(participant)} is your name, run register first`;
  return refused(`${quote(participant)} is not registered (${who}); ${way}`, "NOT_YET");
}
