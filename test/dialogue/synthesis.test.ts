import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { draft, type Project, projectMaker, recordOf } from "./project.ts";

const makeProject = projectMaker();

const [queue, file] = ["Use a queue.", "Use a file."];
const synthesis = "A queue in front of a file";
const say = (content: string) => ({ question_or_proposal: { content } });

/** The form that next-action prints, with what its sender adds to it. */
function filled(project: Project, by: string, content: string, fields: JsonObject): JsonObject {
  const { guidance } = project.guidance("talk", by);
  assert(isRecord(guidance) && Array.isArray(guidance["moves"]));
  const input = guidance["moves"].find((it) => it.input?.type !== "AGREE")?.input;
  assert(isRecord(input), "next-action prints a form");
  const { objections: _, acknowledged: __, ...form } = input;
  const accepts = fields["type"] === "AGREE" ? { accepts: lastSeq(project) } : {};
  const message = { ...form, ...say(content), confidence: 0.9, ...accepts, ...fields };
  // What is undefined was left out.
  return JSON.parse(JSON.stringify(message));
}

/** claude asks, gemini wants a file, claude a queue, and gemini answers with a synthesis of both. */
function offered(text = synthesis): Project {
  const project = makeProject();
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Queue or file?", { position: undefined }));
  project.say("talk", "gemini", draft("RESPONSE", "One writer.", { position: file }));
  project.say("talk", "claude", draft("EVALUATE", "Bursts come.", { position: queue }));
  project.say("talk", "gemini", filled(project, "gemini", "Both.", { synthesis: text }));
  return project;
}

/** The message of the last one who took a position. */
function lastSeq(project: Project): number {
  const isStand = ({ message }: Record<string, unknown>) =>
    isRecord(message) && typeof message["position"] === "string";
  return Number(project.events("talk").findLast(isStand)?.["seq"]);
}

const agree = (project: Project, by: string) =>
  project.say("talk", by, draft("AGREE", "Queue, then file.", { accepts: lastSeq(project) }));

const report = (project: Project) => project.run("report", ["--session", "talk"]).stdout;

describe("a synthesis", () => {
  const accepting: [name: string, fields: JsonObject][] = [
    ["without a position", { type: "AGREE", position: undefined }],
    ["with the position as filled in", { type: "AGREE" }],
    [
      "with the synthesis as position",
      { type: "AGREE", position: "a queue  in front\nof a file." },
    ],
    ["with the synthesis copied as its own", { type: "AGREE", synthesis, position: undefined }],
    ["by taking its words for one's position", { position: `${synthesis}.` }],
  ];
  for (const [name, fields] of accepting)
    it(`is what AGREE accepts, and the decision: ${name}`, () => {
      const project = offered();
      project.say("talk", "claude", filled(project, "claude", "Queue, then file.", fields));
      if (fields["type"] !== "AGREE") agree(project, "gemini");
      agree(project, fields["type"] === "AGREE" ? "gemini" : "claude");
      assertDecided(project);
    });

  it("is as long as it has to be, and copied so", () => {
    const long = `${synthesis}:\n- the queue takes ${"bursts, ".repeat(40)}\n- the file keeps them`;
    const project = offered(long);
    project.say("talk", "claude", filled(project, "claude", "Good.", { position: long }));
    agree(project, "gemini");
    agree(project, "claude");
    assert.match(solution(project), /^\*\*A queue in front of a file: - the queue takes bursts, /m);
  });

  it("is what its author holds, whatever stands beside it as position", () => {
    const project = offered();
    const both = { synthesis: "A queue that spills into a file", position: "Use a database." };
    const bare = project.send("talk", "claude", filled(project, "claude", "Or so.", both));
    assert.match(bare.stderr, /your position changed .*expected because/);
    const fields = { ...both, because: "judgement: one part less" };
    const ran = project.send("talk", "claude", filled(project, "claude", "Or so.", fields));
    assert.match(ran.stdout, /your position is now the synthesis; "Use a database\." is not kept/);
    const { stdout } = project.next("talk", "gemini");
    assert.match(stdout, /^\| synthesis: A queue that spills into a file$/m);
    assert.doesNotMatch(stdout, /database/);
  });

  it("is no cause for another position where both hold the same", () => {
    const project = offered();
    project.say("talk", "claude", filled(project, "claude", "Yes.", { position: synthesis }));
    const ran = project.send(
      "talk",
      "gemini",
      filled(project, "gemini", "Or so.", { synthesis: "Use a database.", position: undefined }),
    );
    assert.match(
      ran.stderr,
      /your position changed \(message 6 said "A queue in front of a file"\)/,
    );
  });

  const rejected: [name: string, fields: JsonObject, reason: RegExp][] = [
    [
      "by an answer that neither takes it over nor objects",
      {},
      /answer the synthesis that is offered, by objections or by AGREE with accepts: 6; add acknowledged: .*objections: /,
    ],
    [
      "by AGREE with another position",
      { type: "AGREE", position: "Use a database." },
      /AGREE takes over the position of message 6, "A queue in front of a file", but position is "Use a database\."; leave it out/,
    ],
    [
      "by AGREE with another synthesis",
      { type: "AGREE", synthesis: "A queue for bursts, else a file" },
      /AGREE accepts what is there, and synthesis offers something else; leave synthesis out/,
    ],
    [
      "by AGREE to what its author held before",
      { type: "AGREE", accepts: 3 },
      /accepts is 3, but \S+ stands by message 6/,
    ],
  ];
  for (const [name, fields, reason] of rejected)
    it(`is not answered ${name}`, () => {
      const project = offered();
      const ran = project.send("talk", "claude", filled(project, "claude", "Fine.", fields));
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, reason);
    });

  it("that is objected to twice is left to the user, with the last one as its author's position", () => {
    const project = offered();
    const objecting = (point: string) => ({
      ...{ acknowledged: ["bursts"], objections: [{ point, because: "two parts to run" }] },
    });
    project.say("talk", "claude", filled(project, "claude", "No.", objecting("the file")));
    const second = { synthesis: "A queue that spills into a file" };
    project.say("talk", "gemini", filled(project, "gemini", "Then so.", second));
    project.say("talk", "claude", filled(project, "claude", "No.", objecting("the spilling")));
    const text = report(project);
    assert.match(text, /ESCALATED: synthesis_failed \("2 syntheses were not accepted"\)/);
    assert.match(text, /point of disagreement: claude objects: the spilling, because two parts/);
    assert.match(text, /## Position of gemini\n\n\*\*A queue that spills into a file\*\*/);
    assert.match(text, /## Position of claude\n\n\*\*Use a queue\.\*\*/);
  });
});

function solution(project: Project): string {
  return project.read("artifacts", "talk", "merged-solution.md");
}

/** The synthesis is told everywhere, and each change of mind with its cause. */
function assertDecided(project: Project): void {
  const isDecided = /^\*\*A queue in front of a file\.?\*\*$/m;
  assert.match(solution(project), isDecided);
  const text = report(project);
  assert.match(text, isDecided);
  assert.match(
    text,
    /^- gemini, message \d+: from "Use a file\." to "A queue in front of a file", by a synthesis of both$/m,
  );
  assert.match(
    text,
    /^- claude, message \d+: from "Use a queue\." to "A queue in front of a file\.?", by a synthesis of both$/m,
  );
  assert.equal(text.match(/: from "/g)?.length, 2);
  assert.equal(project.run("validate", ["--session", "talk"]).code, 0);
  const data = project.run("report", ["--session", "talk", "--json"]).stdout;
  assert.match(JSON.stringify(recordOf(data)), /"position":"A queue in front of a file\.?"/);
  const adr = project.run("report", ["--session", "talk", "--adr"]).stdout;
  assert.match(adr, /^- A queue in front of a file \(gemini\)\n\n/m);
  assert.match(adr, /^Chosen option:\n\n> A queue in front of a file\.?$/m);
}
