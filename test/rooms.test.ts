import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { faultsOf, readTree, registrations } from "./room-order.ts";

const lazily = (path: string) => `const later = async () => (await import("${path}")).a;`;
const value = (path: string) => `import { a } from "${path}";`;
const type = (path: string) => `import type {\n  A,\n} from "${path}";`;

/** One file, or two that know each other, and the fault that is to be found, alone. */
const planted: [what: string, file: string, text: string, fault: string, other?: string][] = [
  ["a value from below", "files/a.ts", value("../log/b.ts"), "log/b.ts (value)"],
  ["a type from below", "log/a.ts", type("../cli/b.ts"), "cli/b.ts (type)"],
  ["a lazy import from below", "log/a.ts", lazily("../cli/b.ts"), "cli/b.ts (dynamic)"],
  ["an export from below", "log/a.ts", 'export { a } from "../cli/b.ts";', "cli/b.ts (value)"],
  ["a kind's room from its rules", "findings/rules/a.ts", type("../b.ts"), "findings/b.ts (type)"],
  ["a value in the registration", registrations[0] ?? "", value("../findings/b.ts"), "(value)"],
  ["a file in no room", "utils/a.ts", "", "in no room"],
  ["node: in a pure file", "wake/rules/a.ts", 'import { join } from "node:path";', 'from "node:'],
  ["a lazy node: in one", "base/a.ts", 'await import("node:fs");', 'import("node:'],
  ["a clock in one", "base/a.ts", "const now = Date.now();", "Date.now"],
  ["chance in one", "dialogue/a.ts", "const dice = Math.random();", "Math.random"],
  [
    "a mechanism outside of its file",
    "view/a.ts",
    'import { watch } from "chokidar";',
    "which is for files/watch-folder.ts",
  ],
  ["async in one", "protocol/a.ts", "export async function a() {}", "async function"],
  ["an async method in one", "protocol/a.ts", "class A {\n  async b() {}\n}", "async b("],
  ["the process in one", "base/a.ts", "const home = process.env;", "process."],
  ["an impure value in one", "brain/rules/a.ts", value("../b.ts"), "imports brain/b.ts"],
  [
    "a circle of values",
    "log/a.ts",
    value("./b.ts"),
    "circle: log/a.ts -> log/b.ts",
    value("./a.ts"),
  ],
  ["a circle of types", "log/a.ts", type("./b.ts"), "circle", type("./a.ts")],
  ["a circle of one lazy import", "log/a.ts", lazily("./b.ts"), "circle", type("./a.ts")],
];

describe("the order of the rooms", () => {
  it("holds", () => {
    const tree = readTree("scripts-src");
    assert(tree.size > 400);
    assert.deepEqual(faultsOf(tree), []);
  });

  for (const [what, file, text, fault, other] of planted) {
    it(`does not hold with ${what}`, () => {
      const faults = faultsOf(
        new Map([[file, text], ...(other ? [["log/b.ts", other] as const] : [])]),
      );
      assert.equal(faults.length, 1, faults.join("; "));
      assert(faults[0]?.includes(fault), faults[0]);
    });
  }

  it("lets the registration load what is below it, when it is needed", () => {
    const tree = new Map([[registrations[0] ?? "", lazily("../findings/b.ts")]]);
    tree.set("findings/b.ts", type("../session/kinds.ts"));
    assert.deepEqual(faultsOf(tree), []);
  });

  it("looks at code and not at comments", () => {
    assert.deepEqual(
      faultsOf(new Map([["base/a.ts", "/** Not Date.now(). */\n// Math.random()"]])),
      [],
    );
  });
});
