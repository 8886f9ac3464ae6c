import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonValue } from "../../scripts-src/base/json.ts";
import { driverProfiles } from "../../scripts-src/clis/known-drivers.ts";

const file = "~/.consulta/config.yaml";
const named = (name: string, value: JsonValue = {}) => {
  const profile = driverProfiles(value, file).find((it) => it.name === name);
  assert(profile !== undefined);
  return profile;
};

describe("the profiles of CLIs", () => {
  it("are five that read at most, each with the version that it was run on", () => {
    const profiles = driverProfiles({}, file);
    assert.deepEqual(
      profiles.map(({ name }) => name),
      ["claude", "gemini", "agy", "codex", "opencode"],
    );
    for (const { arguments: words, environment, tested, install, sign_in: signIn } of profiles) {
      const all = [...words, ...environment.values()].join(" ");
      assert.doesNotMatch(all, /yolo|dangerous|bypass|write|accept|auto_edit|--auto\b|skip-trust/i);
      assert.match(tested, /\d+\.\d+/);
      assert(install !== undefined && signIn !== undefined);
    }
  });

  it("take each field that the user wrote, and keep the others", () => {
    const { arguments: words, ...rest } = named("claude", {
      drivers: { claude: { arguments: ["-p"], tested: "2.2.0" } },
    });
    const { arguments: usual, ...defaultRest } = named("claude");
    assert.deepEqual(words, ["-p"]);
    assert.notDeepEqual(usual, ["-p"]);
    assert.deepEqual({ ...rest, tested: "" }, { ...defaultRest, tested: "" });
    assert.equal(rest.tested, "2.2.0");
  });

  it("are as many as the user names", () => {
    const { command, input, output, version } = named("aider", {
      drivers: { aider: { command: "aider" } },
    });
    assert.deepEqual(
      { command, input, output, version },
      { command: "aider", input: "{prompt}", output: "text", version: ["--version"] },
    );
  });

  it("give standard input nothing where the arguments have a place for the task", () => {
    const { input } = named("x", {
      drivers: { x: { command: "x", arguments: ["-f", "{prompt_file}"] } },
    });
    assert.equal(input, "");
  });

  it("are the known ones where the file is empty", () => {
    assert.equal(driverProfiles(null, file).length, 5);
  });

  const wrong: [name: string, drivers: JsonValue, reason: RegExp][] = [
    [
      "an unknown field",
      { claude: { comnand: "x" } },
      /drivers\.claude\.comnand is not a field \(did you mean command\?\)/,
    ],
    [
      "an entry without a command",
      { aider: { arguments: [] } },
      /drivers\.aider\.command is missing, expected the program to run, such as aider/,
    ],
    [
      "a program of the project",
      { x: { command: "./x" } },
      /drivers\.x\.command is "\.\/x", expected a program on PATH or a whole path/,
    ],
    ["a taken name", { me: { command: "x" } }, /drivers\.me cannot name a driver/],
    ["a name for who is run elsewhere", { elsewhere: { command: "x" } }, /cannot name a driver/],
    ["a name that is none", { "A B": { command: "x" } }, /drivers\.A B cannot name a driver/],
    [
      "no place for the task",
      { x: { command: "x", input: "go" } },
      /drivers\.x\.input has no \{prompt\}/,
    ],
    [
      "JSON without an answer",
      { x: { command: "x", output: "json" } },
      /drivers\.x\.answer is missing/,
    ],
    [
      "a resumption of nothing",
      { x: { command: "x", resume: ["-c"] } },
      /drivers\.x\.resume has no \{conversation\}/,
    ],
    [
      "a conversation that is not found",
      { x: { command: "x", output: "json", answer: { from: "a" }, resume: ["{conversation}"] } },
      /drivers\.x\.conversation is missing/,
    ],
    [
      "a failure that is every failure",
      { x: { command: "x", failures: [{ exit: 1 }, { means: "quota" }] } },
      /drivers\.x\.failures has an entry for every failure, expected exit or text in each/,
    ],
    [
      "an unknown meaning",
      { x: { command: "x", failures: [{ exit: 1, means: "bad" }] } },
      /means is "bad", expected one of failed, signed_out/,
    ],
  ];
  for (const [name, drivers, reason] of wrong) {
    it(`are refused with ${name}, in one line that names the file`, () => {
      assert.throws(
        () => driverProfiles({ drivers }, file),
        ({ message }: Error) => {
          assert.match(message, reason);
          assert.match(message, /^~\/\.consulta\/config\.yaml: [^\n]*; correct the file$/);
          return true;
        },
      );
    });
  }

  it("are refused beside anything but drivers", () => {
    assert.throws(
      () => driverProfiles({ driver: {} }, file),
      /driver is not a field \(did you mean drivers\?\)/,
    );
    assert.throws(() => driverProfiles("x", file), /it is "x", expected an object/);
  });
});
