import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Stage } from "./stage.ts";

/** A model without a shell: it answers what its task says with one message. */
const model = `
let task = "";
process.stdin.on("data", (part) => { task += part; }).on("end", () => {
  const accepts = Number((/accepts"?: ?(\\d+)/.exec(task) ?? [])[1]);
  const [, due = ""] = /to do: check before AGREE: (.*)/.exec(task) ?? [];
  const claims = [...due.matchAll(/(C[\\d.]+) "/g)].map(([, id]) => id);
  const seen = [...task.matchAll(/E\\d+: (C[\\d.]+) (holds|fails)/g)].map(([, claim, outcome]) => ({ claim, outcome }));
  require("fs").appendFileSync("tasks.txt", task);
  const told = new Set(seen.map(({ claim }) => claim));
  const rest = claims.filter((claim) => !told.has(claim));
  const blind = rest.map((claim) => ({ claim, outcome: "not_run", reason: "I have no shell" }));
  const content = "Keep the ttl of 60 seconds.";
  const answer = accepts > 0
    ? { type: "AGREE", accepts, question_or_proposal: { content }, confidence: 0.9, checks: [...seen.filter(({ claim }) => claims.includes(claim)), ...blind] }
    : { type: "RESPONSE", position: "60 seconds", question_or_proposal: { content }, confidence: 0.9, claims: CLAIMS };
  console.log("Here it is.\\n\\n\`\`\`json\\n" + JSON.stringify(answer) + "\\n\`\`\`");
});
`;

const lines = { text: "the ttl is 60", check: "src/cache.ts:2", expect: "ttl = 60" };

function consult(at: Stage, claims: object[], ...words: string[]) {
  at.write("model.cjs", model.replace("CLAIMS", JSON.stringify(claims)));
  const line = `command:${process.execPath} ${join(at.folder, "model.cjs")}`;
  const who = ["--participants", `ann=${line},ben=${line}`, "--mode", "rapida"];
  const args = [...who, ...words, "Which ttl should the cache use?"];
  return at.run("consult", args, "", { env: at.variables() });
}

/** The records of the session that consult opened: by, claim, kind, met. */
function recordsIn(at: Stage): unknown[][] {
  const id = at.files("sessions").find((name) => !name.includes(".") && name !== "talk") ?? "";
  return at.events(id).flatMap(({ event, from, record }) => {
    if (event !== "evidence" || typeof record !== "object" || record === null) return [];
    const { claim, kind, met } = { claim: "", kind: "", met: false, ...record };
    return [[from, claim.replace(/^C\d+/, "C"), kind, met]];
  });
}

describe("consult", () => {
  it("looks at claims for participants that have no shell, and shows them what was seen", () => {
    const at = new Stage();
    const ran = consult(at, [lines, { text: "tests pass", check: "npm test" }]);
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(recordsIn(at), [
      ["ben", "C.1", "lines", true],
      ["ann", "C.1", "lines", true],
    ]);
    assert.match(
      ran.stderr,
      /C\d+\.2 is not looked at for ann: "npm test" runs only if you allow it/,
    );
    assert.match(ran.stdout, /CONSENSUS/);
    assert.match(at.read("../tasks.txt"), /\| const ttl = 60;/);
  });

  it("runs what --allow-check names for both sides", () => {
    const at = new Stage();
    const check = `${process.execPath} -e "console.log('pass 12')"`;
    const claims = [{ text: "tests pass", check, expect: "pass 12" }];
    const ran = consult(at, claims, "--allow-check", check);
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(recordsIn(at), [
      ["ben", "C.1", "run", true],
      ["ann", "C.1", "run", true],
    ]);
    assert.match(ran.stdout, /CONSENSUS/);
  });

  it("refuses --allow-check below an AI CLI, and what is no command", () => {
    const at = new Stage();
    const asked = (check: string, env: Record<string, string>) =>
      at.run("consult", ["--allow-check", check, "Which?"], "", { env: at.variables(env) });
    const below = asked("npm test", { CLAUDECODE: "1" });
    assert.equal(below.code, 2, below.stderr);
    assert.match(below.stderr, /--allow-check .* an agent may not/);
    const empty = asked(" ", {});
    assert.equal(empty.code, 2, empty.stderr);
    assert.match(empty.stderr, /at least one word/);
  });
});
