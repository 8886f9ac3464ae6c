import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What an agent is asked for: the event, the form of a review, the folder of the documents. */
export interface Asked {
  readonly event: string;
  readonly form: string;
  readonly folder: string;
}

/** What a participant says to the task of its turn, in a session of any kind. */
export function lastWords(prompt: string, who: string, folder: string): string {
  if (isAudit(prompt)) return fenced(auditFor(prompt));
  if (prompt.includes("in the Consulta collaboration in"))
    return fenced(blockFor(askedIn(prompt, folder)));
  if (prompt.includes("on the Consulta board in")) return fencedReport(reportOn(`${who} looked`));
  return fenced(messageFor(prompt, who));
}

export function isAudit(prompt: string): boolean {
  return prompt.startsWith("You are an auditor.");
}

/** How a scripted auditor answers: `shows` to all is what a lazy one says. */
export type AuditAct = "shows" | "doubts" | "invents" | "owner" | "remarks";

/** The answer of an auditor that read nothing but the packet. */
export function auditFor(prompt: string, act: AuditAct = "shows") {
  const frames = prompt.matchAll(/^<<< (\S+) ([CF]\d+\.\d+)\n([\s\S]*?)\n>>> \1 end$/gm);
  const claims = [...frames].map(([, , id = "", lines = ""]) => {
    const [, seen = ""] = lines.split("\n| seen:\n");
    const [first = ""] = seen.split("\n").filter((line) => /\w/.test(line));
    if (act === "doubts") return { id, says: "does_not_show", why: "It only names the word." };
    const quote = act === "invents" ? "words that stand nowhere" : first.replace(/^\| /, "");
    return { id, says: "shows", quote, why: "It is there." };
  });
  const [, text = ""] = /the decision for the user\n\| (.*)\n/.exec(prompt) ?? [];
  const owner = act === "owner" ? { kind: "destructive", why: "It deletes records." } : none;
  const said = act === "remarks" ? [text] : [];
  const remarks = { unsupported: said, contradicts: null, dissent: said };
  return { nonce: nonceIn(prompt), claims, ...remarks, owner, model: "scripted" };
}

/** The word that the packet's frames have, and that nobody knew who wrote what they hold. */
export function nonceIn(packet: string): string {
  return /^<<< (\S+) the question$/m.exec(packet)?.[1] ?? "";
}

const none = { kind: "none", why: "" };

/** A form of a dialogue, filled in. All hold the same: where one may agree, they do. */
export function messageFor(prompt: string, who: string): Record<string, unknown> {
  const forms = [...prompt.matchAll(/^ *(\{"type":"[A-Z_]+".*\})$/gm)].map(([line]) =>
    JSON.parse(line),
  );
  const draft = forms.find((form) => form.type === "AGREE") ?? forms[0] ?? {};
  const { type, checks, kept } = draft;
  const accepts = Number(draft.accepts ?? 0);
  const answers = draft.answers?.map((it: object) => ({ ...it, answer: "Nothing that we know." }));
  const agreeing = {
    ...(accepts === 0 ? {} : { accepts }),
    because: "judgement: nothing speaks against it",
  };
  return {
    type,
    question_or_proposal: { content: `${who} says ${type}` },
    ...(type === "AGREE" ? agreeing : type === "CONSENSUS" ? {} : { position: "Files it is." }),
    ...(type === "CONSENSUS" ? {} : { confidence: 0.9, answers, checks, ...reasons(kept) }),
  };
}

function reasons(kept?: object[]) {
  return kept && { kept: kept.map((it) => ({ ...it, because: "we have both seen it run" })) };
}

/** An event block with all that the event needs, as an agent without any permission gives it. */
export function blockFor({ event, form, folder }: Asked): Record<string, unknown> {
  const summary = `did ${event}`;
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const deliverable = "deliverables/adr.md";
  const sections = ["Status", "Context", "Decision", "Alternatives Considered", "Consequences"];
  const body = [...sections, "Follow-ups"].map((name) => `## ${name}\n\nWritten.\n`).join("\n");
  switch (event) {
    case "deliverable_drafted":
      return { event, summary, documents: { [deliverable]: `# ADR\n\nStatus: Draft\n\n${body}` } };
    case "deliverable_frozen":
      return { event, summary, documents: { [deliverable]: `# ADR\n\nStatus: Frozen\n\n${body}` } };
    case "proposal_submitted":
      return { event, summary, documents: { "proposal.md": "# Proposal\n\nUse files.\n" } };
    case "review_submitted":
      return { event, summary, review: form.replace(/<[^>]*>/g, "None.") };
    case "question_classified": {
      const readiness = read("readiness.md").replace(/^- \[unresolved\].*$/m, "- [resolved] Done.");
      const decisions = read("decisions.md").replace(/<TBD.*>/, "Use files.");
      return {
        event,
        summary,
        documents: { "readiness.md": readiness, "decisions.md": decisions },
      };
    }
    case "readiness_passed": {
      const readiness = read("readiness.md").replaceAll("- [ ]", "- [x]");
      return { event, summary, documents: { "readiness.md": readiness } };
    }
    case "completed": {
      const known = read("conclusion.md").replace(/Replace\s+every TBD\./, "");
      const proceeds = known.replace(/^- \[blocked\].*$/m, "- [proceed] it holds");
      const conclusion = proceeds.replace(/<TBD.*>/g, "None.");
      return { event, summary, documents: { "conclusion.md": conclusion } };
    }
    default:
      return { event, summary };
  }
}

/** What the task of a turn asks for: the example that it ends with, and the form of a review. */
export function askedIn(prompt: string, folder: string): Asked {
  const example: { event: string } = JSON.parse(
    /```json\n(.*)\n```(?![\s\S]*```json)/.exec(prompt)?.[1] ?? "{}",
  );
  const form = /^review: your whole review[^\n]*\n\n([\s\S]*?)\n\ndocuments: /m.exec(prompt)?.[1];
  return { event: example.event, form: form ?? "", folder };
}

export function fenced(block: unknown): string {
  return `My answer.\n\n\`\`\`json\n${JSON.stringify(block, undefined, 2)}\n\`\`\`\n`;
}

/** A report that is right, on this machine. */
export function reportOn(title: string, more = ""): string {
  return [
    `# ${title}`,
    "",
    "## Working Directories",
    "- `.` -- the project",
    "",
    "## Files Modified",
    "- none",
    "",
    "## Files Investigated (not modified)",
    "- none",
    "",
    "## Summary",
    `Seen: ${title}.`,
    more,
  ].join("\n");
}

export function fencedReport(report: string, fence = "````", name = "markdown"): string {
  return `${fence}${name}\n${report}\n${fence}`;
}
