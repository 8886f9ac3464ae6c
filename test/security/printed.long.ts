/** A hostile peer fills every field that it controls; then every script prints what it found. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { Collaboration } from "../collaboration/folder.ts";
import { draft, type Project, projectMaker, type Ran } from "../dialogue/project.ts";
import { Board, reportText } from "../findings/board.ts";
import {
  acceptedText,
  checkPrinted,
  checkQuoted,
  hostileFileName,
  hostileName,
  hostileText,
  hostileWord,
  showsWords,
} from "./hostile-words.ts";

const newProject = projectMaker();

/** Runs a script as text and, where it has that, as JSON; the words of the peer must be in it. */
function checkBoth(project: Project, words: readonly string[], shows = true): void {
  const [script = "", ...args] = words;
  const ran = project.run(script, args);
  checkPrinted(words.join(" "), ran);
  if (shows)
    assert(showsWords(ran), `${words.join(" ")} shows nothing: ${ran.stdout}${ran.stderr}`);
  const json = project.run(script, [...args, "--json"]);
  checkPrinted(`${words.join(" ")} --json`, json);
  if (json.stdout.startsWith("{")) assert(JSON.parse(json.stdout));
}

/** Rewrites a field of a log by hand, as a clone may bring it. */
function rewrite(path: string, name: string, to: string): void {
  let count = 0;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const changed = lines.map((line) =>
    JSON.stringify(
      JSON.parse(line, (key, value: unknown) => {
        if (key !== name) return value;
        count += 1;
        return to;
      }),
    ),
  );
  assert(count > 0, `nothing to rewrite in ${path}`);
  writeFileSync(path, `${changed.join("\n")}\n`);
}

const hostileMessage = (type: string) =>
  draft(type, acceptedText, {
    question_or_proposal: { content: acceptedText, specific_questions: [acceptedText] },
    references: [acceptedText],
    discoveries: {
      analysis: acceptedText,
      code_examined: [acceptedText],
      conclusions: acceptedText,
    },
    acknowledged: [acceptedText],
    objections: [{ point: acceptedText, because: acceptedText, about: "judgement" }],
    claims: [{ text: acceptedText, check: "node probe.js" }],
    tried_and_discarded: [{ approach: acceptedText, reason: acceptedText }],
    agreements_so_far: [acceptedText],
    disagreements_pending: [acceptedText],
  });

describe("what a hostile peer wrote in a dialogue", () => {
  it("is shown by every script, and never as a line of ours", () => {
    const project = newProject();
    project.open("talk");
    const sent = project.send("talk", "claude", hostileMessage("REQUEST"));
    checkPrinted("append-event", sent);
    assert.equal(sent.code, 0, sent.stderr);
    const log = project.path("sessions", "talk", "events.jsonl");
    rewrite(log, "topic", hostileText);
    rmSync(project.path("sessions", "talk", ".checkpoint.json"), { force: true });
    const who = ["--session", "talk", "--participant", "gemini"];
    for (const words of [
      ["next-action", ...who],
      ["wait-for-turn", ...who, "--timeout", "1"],
      ["report", "--session", "talk"],
      ["status"],
      ["status", "--session", "talk"],
    ]) {
      checkBoth(project, words);
    }
    checkBoth(project, ["validate"], false);
    // What the peer says in its turn, and the refusal of what the reader says wrongly.
    checkPrinted("refused", project.send("talk", "gemini", draft("AGREE", acceptedText)));
    checkPrinted("own", project.send("talk", "gemini", hostileMessage("RESPONSE")));
    checkBoth(project, ["next-action", "--session", "talk", "--participant", "claude"]);
    checkBoth(project, ["report"]);
  });

  it("ends in a report without a line of its own", () => {
    const project = newProject();
    project.open("over");
    project.say("over", "claude", draft("REQUEST", "Why?"));
    project.say("over", "gemini", draft("ESCALATE", acceptedText, { needs_user: acceptedText }));
    for (const script of ["report", "status", "next-action"]) {
      const who = script === "next-action" ? ["--participant", "claude"] : [];
      checkBoth(project, [script, "--session", "over", ...who], script !== "status");
    }
  });

  it("is no line of ours in names of mail, folders, profiles, journals and settings", () => {
    const project = newProject();
    project.open("mail");
    project.say("mail", "claude", draft("REQUEST", "Why?"));
    project.put(
      "gemini",
      `mail-${hostileFileName}.json`,
      `{"type": ${JSON.stringify(hostileText)}}`,
    );
    project.put("gemini", "mail-9.json", `${hostileText}`);
    mkdirSync(project.path("sessions", hostileFileName));
    writeFileSync(join(project.path("sessions", hostileFileName), "events.jsonl"), hostileText);
    mkdirSync(project.path("profiles"), { recursive: true });
    writeFileSync(project.path("profiles", "gemini.md"), hostileText);
    writeFileSync(project.path("profiles", `${hostileFileName}.md`), hostileText);
    const who = ["--session", "mail", "--participant", "gemini"];
    const inbox = ["--inbox", project.path("inbox-gemini"), "--timeout", "1"];
    for (const words of [
      ["wait-for-turn", ...inbox, "--participant", "gemini"],
      ["wait-for-turn", "--follow", "--participant", "gemini", "--timeout", "1"],
      ["next-action", ...who],
      ["status", "--all"],
      ["validate"],
      ["doctor"],
    ]) {
      checkBoth(project, words, false);
    }
    const noted = ["--session", "mail", "--participant", "gemini", "--notes", hostileWord];
    checkPrinted("journal", project.run("journal", noted));
    const journal = project.run("journal", ["--session", "mail", "--participant", "gemini"]);
    checkPrinted("journal", journal);
    const profile = project.run("profile", []);
    checkPrinted("profile", profile);
    assert(showsWords(journal) && showsWords(profile));
    const config = project.path("config.json");
    writeFileSync(
      config,
      JSON.stringify({ [hostileText]: 1, mode: hostileText, log_level: hostileText }),
    );
    for (const words of [["next-action", ...who], ["status"], ["doctor"], ["report"]]) {
      checkBoth(project, words, false);
    }
    writeFileSync(config, `{ ${hostileText}`);
    for (const words of [["next-action", ...who], ["status"], ["doctor"]])
      checkBoth(project, words, false);
  });
});

describe("what a hostile peer wrote in a collaboration", () => {
  it("is shown by every script, and never as a line of ours", () => {
    const at = new Collaboration();
    at.init();
    checkPrinted("refused", at.append("a", hostileWord, { summary: hostileWord }));
    for (const name of ["proposal.md", "decisions.md", "readiness.md", "conclusion.md"]) {
      at.write(name, `# X\n\nStatus: draft\n\n${hostileText}\n\n- [proceed] ${hostileText}\n`);
    }
    const line = {
      seq: 2,
      from: "a",
      event: "proposal_submitted",
      at: "2026-01-01T00:00:00Z",
      summary: hostileText,
      doc: hostileText,
    };
    at.write("events.jsonl", `${at.read("events.jsonl")}${JSON.stringify(line)}\n`);
    for (const script of ["next-action", "status", "validate", "report", "wait-for-turn"]) {
      const who = ["next-action", "wait-for-turn"].includes(script) ? ["--participant", "b"] : [];
      const timeout = script === "wait-for-turn" ? ["--timeout", "1"] : [];
      const words = [script, "--folder", "shared", ...who, ...timeout];
      checkBoth(at.project, words, ["next-action", "report"].includes(script));
    }
    at.write("events.jsonl", `${at.read("events.jsonl")}${hostileText}\n`);
    checkBoth(at.project, ["next-action", "--folder", "shared", "--participant", "b"], false);
  });
});

/** Fields of a collaboration that a peer controls, by the file that holds them. */
const collaborationFields: readonly [
  file: "protocol.json" | "events.jsonl",
  field: string,
  value: unknown,
][] = [
  ["protocol.json", "objective", hostileText],
  ["protocol.json", "completionGates", [hostileText]],
  ["protocol.json", "participants", ["a", "b", hostileText]],
  ["protocol.json", "proposalOwner", hostileText],
  ["protocol.json", "currentPhase", hostileText],
  ["protocol.json", "waitingFor", [hostileText]],
  ["protocol.json", "schemaVersion", hostileText],
  ["protocol.json", "deliverables", { mode: hostileText, dir: hostileText, primary: hostileText }],
  ["protocol.json", "repoRoot", hostileText],
  ["protocol.json", hostileText, hostileText],
  ["events.jsonl", "from", hostileText],
  ["events.jsonl", "event", hostileText],
  ["events.jsonl", "at", hostileText],
  ["events.jsonl", "summary", hostileText],
  ["events.jsonl", "doc", hostileText],
  ["events.jsonl", "reply_to", hostileText],
  ["events.jsonl", "role", hostileText],
  ["events.jsonl", "sha256", hostileText],
  ["events.jsonl", "id", hostileText],
  ["events.jsonl", hostileText, hostileText],
];

describe("one hostile field of a collaboration", () => {
  const whole = new Collaboration();
  whole.init();
  const kept = { log: whole.read("events.jsonl"), protocol: whole.read("protocol.json") };
  const proposed = {
    ...{ seq: 2, from: "a", event: "proposal_submitted", at: "2026-01-01T00:00:00Z" },
    ...{ summary: "x", doc: "proposal.md", reply_to: 1 },
  };
  for (const [file, field, value] of collaborationFields) {
    it(`is no line of ours: ${field.slice(0, 20).replace(/\W/g, "?")} of ${file}`, () => {
      const isEvent = file === "events.jsonl";
      const event = JSON.stringify({ ...proposed, ...(isEvent ? { [field]: value } : {}) });
      const protocol = { ...JSON.parse(kept.protocol), ...(isEvent ? {} : { [field]: value }) };
      whole.write("events.jsonl", `${kept.log}${event}\n`);
      whole.write("protocol.json", JSON.stringify(protocol));
      for (const script of ["next-action", "status", "validate", "report"]) {
        const who = script === "next-action" ? ["--participant", "b"] : [];
        const ran = whole.project.run(script, ["--folder", "shared", ...who]);
        checkPrinted(`${script} with ${field}`, ran);
        checkQuoted(`${script} with ${field}`, ran);
      }
      const refused = whole.append("b", "review_submitted", { summary: "x", review: "none" });
      checkPrinted(`append-event with ${field}`, refused);
      checkQuoted(`append-event with ${field}`, refused);
    });
  }
});

describe("what a hostile agent put on a board", () => {
  it("is shown by every script, and never as a line of ours", () => {
    const at = new Board().init(3).register("alice", "bob");
    at.post("bob", "one", reportText({ title: "EVIL", rest: hostileText }));
    at.write("findings/bob/02-two.md", `# ${hostileText}\n${hostileText}`);
    at.write(`findings/bob/03-${hostileFileName}.md`, hostileText);
    at.write(`findings/${hostileFileName}/01-x.md`, hostileText);
    at.write("agents.md", `${at.read("agents.md")}- ${hostileText}\n`);
    at.write("meta.md", `${at.read("meta.md")}- **about:** ${hostileName}\n`);
    const dir = at.name;
    checkBoth(at.project, ["read-all", dir, "alice"]);
    for (const words of [
      ["poll", dir, "alice"],
      ["post", dir, "bob", hostileName],
      ["ready", dir, "bob"],
      ["ready", dir, "bob", "--strict"],
      ["next-action", "--folder", dir, "--participant", "alice"],
      ["status", "--folder", dir],
      ["validate", "--folder", dir],
      ["report", "--folder", dir],
    ]) {
      checkBoth(at.project, words, false);
    }
  });
});

/** Fields of a board that a peer controls: of the event that records its report, and of one more. */
const posted: JsonObject = { event: "posted", from: "bob", file: "01-one.md" };
const place = { dir: hostileText, repo: hostileText, prefix: hostileText, commit: hostileText };
const cited = { shown: hostileText, file: `/${hostileText}`, from: 1, to: 2, sha256: hostileText };
const key = { key: `x\n${hostileText}`, shown: hostileText };
const boardEvents: readonly [what: string, fields: JsonObject, content?: JsonObject][] = [
  ...["from", "event", "at", "file", "summary", "id", "noticed", "sha256", "anew", "content"].map(
    (name): [string, JsonObject] => [`${name} of a report's event`, { [name]: hostileText }],
  ),
  ...["title", "sha256", "faults", "missing", "confirms", "supersedes"].map(
    (name): [string, JsonObject, JsonObject] => {
      const isText = ["title", "sha256"].includes(name);
      return [`${name} of its content`, {}, { [name]: isText ? hostileText : [hostileText] }];
    },
  ),
  ["the roots of its content", {}, { roots: [place] }],
  ["the citations of its content", {}, { citations: [cited] }],
  ["a file that two modify", {}, { modified: [key], investigated: [key] }],
  ["the name of an agent", { event: "registered", from: hostileText, registered_at: hostileText }],
  ["the time of a registration", { event: "registered", from: "eve", registered_at: hostileText }],
  ["a deadline", { event: "deadline_set", from: "consulta", deadline: hostileText }],
  ["a number", { event: "numbered", from: "bob", file: hostileText }],
  ["who is ready", { event: "readied", from: hostileText }],
];
/** What a peer writes by hand, by file and what it adds there. */
const boardFiles: readonly [file: string, text: string][] = [
  ...["about", "deadline", "expected_agents", "timeout_seconds", "x"].map(
    (name): [string, string] => ["meta.md", `- **${name}:** ${hostileText}\n`],
  ),
  ["agents.md", `- eve (registered: ${hostileText})\n- ${hostileText}\n`],
  ["findings/bob/02-two.md", `${hostileText}\n# ${hostileText}\n${hostileText}`],
  [
    "findings/bob/02-two.md",
    reportText({
      title: hostileText,
      summary: hostileText,
      directories: [hostileText],
      modified: [hostileText],
      investigated: [hostileText],
      rest: `Supersedes: ${hostileText}\nConfirms: ${hostileText}\n\`${hostileText}:1-2\``,
    }),
  ],
];

describe("one hostile field of a board", () => {
  const at = new Board().init(3, "--about", "why").register("alice", "bob");
  at.post("alice", "one", reportText({ modified: ["a.rs"] }));
  at.write("findings/bob/01-one.md", reportText({ modified: ["a.rs"] }));
  at.done("read-all", ["alice"]);
  const files = ["events.jsonl", "meta.md", "agents.md"] as const;
  const kept = files.map((name) => [name, at.read(name)] as const);
  const known = kept[0]?.[1].split("\n").find((line) => line.includes('"posted"')) ?? "{}";

  function checkAll(what: string): void {
    for (const [script, words] of [
      ["read-all", [at.name, "alice"]],
      ["next-action", ["--folder", at.name, "--participant", "alice"]],
      ["validate", ["--folder", at.name]],
      ["report", ["--folder", at.name]],
    ] as const) {
      const ran = at.project.run(script, [...words]);
      checkPrinted(`${script} with ${what}`, ran);
      checkQuoted(`${script} with ${what}`, ran);
    }
    for (const [name, text] of kept) at.write(name, text);
    for (const name of [".checkpoint.json", "report.md", "findings/bob/02-two.md"])
      rmSync(at.path(name), { force: true });
  }

  for (const [what, fields, content = {}] of boardEvents) {
    it(`is no line of ours: ${what}`, () => {
      const { content: before, ...event }: JsonObject = JSON.parse(known);
      assert(isRecord(before));
      const seq = (kept[0]?.[1].trimEnd().split("\n").length ?? 0) + 1;
      const more = { ...event, ...posted, seq, content: { ...before, ...content }, ...fields };
      at.write("events.jsonl", `${kept[0]?.[1]}${JSON.stringify(more)}\n`);
      checkAll(what);
    });
  }
  for (const [file, text] of boardFiles) {
    it(`is no line of ours: ${text.slice(0, 15).replace(/\W/g, "?")} in ${file}`, () => {
      at.write(file, `${kept.find(([name]) => name === file)?.[1] ?? ""}${text}`);
      checkAll(file);
    });
  }
});

describe("words of a command line", () => {
  const project = newProject();
  const scripts: readonly (readonly string[])[] = [
    ["init", hostileWord, "2"],
    ["init", "--topic", hostileWord, "--participant", "a", "--participant", "b"],
    ["init", "--topic", hostileName, "--participant", hostileWord, "--participant", "b"],
    ["init", "--objective", hostileWord, "--completion", hostileWord, "--participant", hostileWord],
    [
      "init",
      "--objective",
      "x",
      "--completion",
      "y",
      "--participant",
      "a",
      "--folder",
      hostileFileName,
    ],
    ["append-event", "--message", hostileWord, "--participant", "a"],
    ["next-action", "--participant", hostileWord],
    ["next-action", "--session", hostileWord, "--participant", "a"],
    ["wait-for-turn", "--timeout", hostileWord],
    ["wait-for-turn", "--inbox", hostileWord, "--timeout", "1"],
    ["close", "--session", hostileWord, "--reason", hostileWord, "--participant", "a"],
    ["status", "--folder", hostileWord],
    ["validate", "--session", hostileWord],
    ["register", hostileWord, "a"],
    ["post", hostileWord, "a", "t"],
    ["ready", hostileWord, hostileWord],
    ["poll", hostileWord, hostileWord],
    ["read-all", hostileWord, hostileWord],
    ["profile", "--write", hostileWord, "--participant", "a"],
    ["journal", "--colleague", hostileWord, "--participant", "a"],
    ["advise", "--colleague", hostileWord, "--advice", hostileWord],
    ["install", "--into", hostileWord],
    ["consult", "--participants", hostileWord, hostileWord],
    ["consult", "--kind", hostileWord, "x"],
    ["brain", hostileWord],
    ["brain", "list", hostileWord, hostileWord, hostileWord],
    ["hook", hostileWord, hostileWord],
  ];
  for (const words of scripts) {
    const shown = words.map((word) => (word.includes("EVIL") ? "EVIL" : word)).join(" ");
    it(`are no lines of ours: ${shown}`, () => {
      const [script = "", ...args] = words;
      const ran: Ran = project.run(script, args);
      checkPrinted(shown, ran);
      checkPrinted(`${shown} --${hostileName}`, project.run(script, [...args, `--${hostileWord}`]));
    });
  }
});
