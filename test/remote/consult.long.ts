/** An answer that consult cannot store is kept, and sent once by the line that is told. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop, runPrinted } from "./laptop.ts";
import { count } from "./sent-once.ts";

const id = "stores";
const opening = ["--session", id, "--participant", "ana", "--participant", "bo"];
const question = draft("REQUEST", "Files or SQLite?", { position: undefined });
const skip = process.platform === "win32" && "needs a shell";

/** Ana's participant answers once, and a line of a shell runs before it ends; gives the error of consult. */
async function answerOnce(at: Laptop, line: string): Promise<string> {
  const [script, text] = [join(at.home, "agent.sh"), join(at.home, "answer.txt")];
  writeFileSync(text, `So I say.\n\n\`\`\`json\n${JSON.stringify(question)}\n\`\`\`\n`);
  const called = `echo called >> "${at.home}/calls"`;
  writeFileSync(script, `cat > /dev/null\n${called}\n${line}\ncat "${text}"\n`);
  const who = `ana=command:sh ${script},bo=elsewhere`;
  const words = ["--session", id, "--participants", who, "--time-limit", "100"];
  const { code, stdout, stderr } = await at.begin("consult", words).done;
  assert.deepEqual([code, stdout], [4, ""], stderr);
  assert.equal(readFileSync(join(at.home, "calls"), "utf8"), "called\n");
  const [error = "", ...more] = stderr.split("\n").filter((it) => it.startsWith("error: "));
  assert.deepEqual(more, []);
  return error;
}

for (const [how, isStored, sent] of [
  ["gone before it has come", false, /^appended seq \d+: /],
  ["gone before it says that it has come", true, /^already sent as seq \d+; /],
] as const)
  it(`over a git remote that is ${how}`, { skip, timeout: 240_000 }, async () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    ana.done("init", ["--topic", "Which store?", ...opening, "--store", "git"]);
    bo.done("join", [id]);
    const leave = `mv "${host}" "${host}.away"`;
    const isMessage = `read old new ref; git show -s --format=%B "$new" | grep -q SQLite || exit 0`;
    if (isStored) setHook(host, "post-receive", `${isMessage}\n${leave}; kill -9 $PPID`);
    const error = await answerOnce(ana, isStored ? "" : leave);
    renameSync(`${host}.away`, host);
    rmSync(join(host, "hooks", "post-receive"), { force: true });

    const said =
      /^error: refs\/consulta\/stores on origin is out of reach \(.*\); the answer of ana is kept in (\S+); before the session goes on, send it, once: (node .*); once it can be reached, the session goes on with: node .*consult\.cjs --session stores --participants .*agent\.sh,bo=elsewhere/;
    const [, file = "", line = ""] = said.exec(error) ?? assert.fail(error);
    assert.equal(readFileSync(file, "utf8"), `${JSON.stringify(question)}\n`);
    assert.match(runPrinted(ana, line), sent);
    assert.match(runPrinted(ana, line), /^already sent as seq \d+; nothing was added\n/);
    assert.equal(count(ana.log(id), "Files or SQLite?"), 1);
    // What was kept goes with the next turn.
    ana.say(id, "bo", draft("RESPONSE", "Files.", { position: "files" }));
    ana.next(id, "ana");
    const kept = readdirSync(ana.path("drafts")).filter((name) => name.endsWith(".json"));
    assert.deepEqual(kept, []);
    assert.match(bo.done("validate", ["--session", id]), /^validation passed/);
    assert.equal(ana.log(id), bo.log(id));
  });
