import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { draft, projectMaker } from "../dialogue/project.ts";

const made = projectMaker();

// Made up here, and put together so that no scanner takes this file for a leak.
const token = `ghp_${"a1B2c3D4e5".repeat(4)}`;
const key = `AKIA${"ABCDEFGH12345678"}`;

describe("a credential that somebody writes", () => {
  it("in a message is stored, and its author told", () => {
    const project = made();
    project.open("talk");
    const { code, stdout } = project.send("talk", "claude", draft("REQUEST", `Is ${key} it?`));
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^note: it looks as if it holds an AWS access key, and it is stored where/m,
    );
    const plain = project.send("talk", "gemini", draft("RESPONSE", "No key is here."));
    assert.equal(plain.code, 0);
    assert.doesNotMatch(plain.stdout, /looks as if/);
  });

  it("in a summary or a review of a collaboration as well", () => {
    const project = made();
    const two = ["--participant", "ann", "--participant", "bob"];
    const opening = ["--objective", "It", "--completion", "Done", ...two, "--folder", "talk"];
    project.run("init", opening);
    const words = ["--folder", "talk", "--participant", "ann", "--event", "proposal_submitted"];
    const more = ["--reply-to", "1", "--summary", `With ${token}`];
    const { code, stdout } = project.run("append-event", [...words, ...more]);
    assert.equal(code, 0);
    assert.match(stdout, /^note: it looks as if it holds a GitHub token/m);
  });
});

describe("what leaves the machine", () => {
  it("is no question with a credential: consult starts nobody", () => {
    const project = made();
    const words = ["--participants", "a=command:true,b=command:true", `Is ${key} it?`];
    const { code, stdout, stderr } = project.run("consult", words);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(
      stderr,
      /^error: the question looks as if it holds an AWS access key; leave it out/,
    );
  });

  it("has no credential that a CLI printed when it failed: the log and the report go on to others", () => {
    const project = made();
    const list = `a=command:echo "bad key ${token}" >&2; exit 3,b=command:true`;
    const { stderr } = project.run("consult", ["--participants", list, "Is it?"]);
    const { stdout } = project.run("report", ["--session", "is-it"]);
    assert.match(stderr, /stopped answering \(.*bad key \[a GitHub token, left out\]/);
    // Lines for the user name the participants as the user gave them.
    for (const text of [stdout, project.read("sessions", "is-it", "events.jsonl")])
      assert(!text.includes(token));
    assert(!stderr.replaceAll(`"bad key ${token}"`, "").includes(token), stderr);
  });

  it("has no credential that a peer wrote, and says where one was", () => {
    const project = made();
    const bin = join(project.folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "mine"), `#!/bin/sh\ncat > "${project.folder}/task"\nexit 1\n`);
    chmodSync(join(bin, "mine"), 0o755);
    const home = join(project.folder, "home");
    mkdirSync(join(home, ".consulta"), { recursive: true, mode: 0o700 });
    writeFileSync(
      join(home, ".consulta/config.yaml"),
      `drivers: {mine: {command: ${join(bin, "mine")}}}\n`,
    );
    project.open("talk");
    project.send("talk", "claude", draft("REQUEST", `Is ${token} it?`));
    const former = process.env["HOME"];
    const words = ["--session", "talk", "--participants", "claude=command:true,gemini=mine"];
    const script = join(import.meta.dirname, "../../dist/consult.cjs");
    const env = `process.env.HOME=${JSON.stringify(home)}`;
    const preload = join(project.folder, "home.cjs");
    writeFileSync(preload, env);
    project.runNode(["--require", preload], [script, ...words, "--time-limit", "20"]);
    assert.equal(process.env["HOME"], former);
    const task = readFileSync(join(project.folder, "task"), "utf8");
    assert.match(task, /Is \[a GitHub token, left out\] it\?/);
    assert(!task.includes(token));
  });
});
