import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scripted } from "../consult/scripted-line.ts";
import { draft } from "../dialogue/project.ts";
import { makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { count } from "./sent-once.ts";

const id = "stores";
const opening = ["--session", id, "--participant", "ana", "--participant", "bo"];

/** One side's participants, each run by a script here or waited for. */
function side(names: readonly string[], here: string): string {
  return names.map((name) => `${name}=${name === here ? scripted() : "elsewhere"}`).join(",");
}

describe("consult for one's own side of a session", { timeout: 240_000 }, () => {
  it("goes on with a dialogue of two machines to its end, each with its participant", async () => {
    const host = makeBareRepository();
    const machines = [new Laptop(host), new Laptop(host)] as const;
    const [ana, bo] = machines;
    ana.done("init", ["--topic", "Which store?", ...opening, "--store", "git"]);
    bo.done("join", [id]);
    const runs = machines.map((at, index) => {
      const list = side(["ana", "bo"], index === 0 ? "ana" : "bo");
      return at.begin("consult", ["--session", id, "--participants", list, "--time-limit", "120"]);
    });
    for (const { done } of runs) {
      const { code, stdout, stderr } = await done;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /waiting for (?:ana|bo), elsewhere/);
      assert.match(stdout, /CONSENSUS/);
    }
    assert.equal(ana.log(id), bo.log(id));
    for (const at of machines) {
      const validated = at.run("validate", ["--session", id]);
      assert.match(validated.stdout, /^validation passed/, validated.stderr);
    }
  });
});

describe("an answer that consult cannot store", {
  timeout: 240_000,
  skip: process.platform === "win32" && "needs a shell",
}, () => {
  const question = draft("REQUEST", "Files or SQLite?", { position: undefined });

  /** Ana's participant answers once, and a line of a shell runs before it ends. */
  const answerOnce = async (at: Laptop, answer: string, line: string) => {
    const [script, text] = ["agent.sh", "answer.txt"].map((name) => join(at.home, name));
    writeFileSync(text ?? "", answer);
    writeFileSync(
      script ?? "",
      `cat > /dev/null\necho called >> "${at.home}/calls"\n${line}\ncat "${text}"\n`,
    );
    const who = `ana=command:sh ${script},bo=elsewhere`;
    const words = ["--session", id, "--participants", who, "--time-limit", "100"];
    const { code, stdout, stderr } = await at.begin("consult", words).done;
    assert.deepEqual([code, stdout], [4, ""], stderr);
    const errors = stderr.split("\n").filter((it) => it.startsWith("error: "));
    assert.equal(errors.length, 1, stderr);
    assert.equal(readFileSync(join(at.home, "calls"), "utf8"), "called\n");
    const [error = ""] = errors;
    assert.doesNotMatch(error, /run the same command again/);
    const [, goOn = ""] =
      /; once it can be reached, the session goes on with: (node .*consult\.cjs .*)$/.exec(error) ??
      [];
    assert.match(goOn, /--session stores --participants .*agent\.sh,bo=elsewhere/);
    return error;
  };
  const block = `So I say.\n\n\`\`\`json\n${JSON.stringify(question)}\n\`\`\`\n`;

  /** The line sends it, and nothing is there twice; what was kept goes with the next turn. */
  const checkSent = (at: Laptop, error: string, lost: RegExp, sent: RegExp) => {
    const said =
      /^error: (.*); the answer of ana is kept in (\S+); before the session goes on, send it, once: (node .*); once it can/;
    const [, why = "", file = "", line = ""] = said.exec(error) ?? assert.fail(error);
    assert.match(why, lost);
    assert.equal(readFileSync(file, "utf8"), `${JSON.stringify(question)}\n`);
    assert(file.startsWith(at.path("drafts")), file);
    const run = () => runPrinted(at, line);
    assert.match(run(), sent);
    assert.match(run(), /^already sent as seq \d+; nothing was added\n/);
    assert.equal(count(at.log(id), "Files or SQLite?"), 1);
    at.say(id, "bo", draft("RESPONSE", "Files.", { position: "files" }));
    at.next(id, "ana");
    assert.deepEqual(
      readdirSync(at.path("drafts")).filter((name) => name.endsWith(".json")),
      [],
    );
  };

  for (const [how, hook, sent] of [
    ["gone before it has come", false, /^appended seq \d+: /],
    ["gone before it says that it has come", true, /^already sent as seq \d+; /],
  ] as const) {
    it(`is kept, and sent once by the line that is told: a git remote ${how}`, async () => {
      const host = makeBareRepository();
      const [ana, bo] = [new Laptop(host), new Laptop(host)];
      ana.done("init", ["--topic", "Which store?", ...opening, "--store", "git"]);
      bo.done("join", [id]);
      const leave = `mv "${host}" "${host}.away"`;
      if (hook) {
        const isMessage = `read old new ref; git show -s --format=%B "$new" | grep -q SQLite || exit 0`;
        setHook(host, "post-receive", `${isMessage}\n${leave}; kill -9 $PPID`);
      }
      const error = await answerOnce(ana, block, hook ? "" : leave);
      renameSync(`${host}.away`, host);
      rmSync(join(host, "hooks", "post-receive"), { force: true });
      checkSent(ana, error, /^refs\/consulta\/stores on origin is out of reach \(.*\)$/, sent);
      assert.match(bo.done("validate", ["--session", id]), /^validation passed/);
      assert.equal(ana.log(id), bo.log(id));
    });
  }
});
