/** Runs every test file under test/, or those whose path holds a word of the command line. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const words = process.argv.slice(2);
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join("test", name))
  .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${words.join(", ")}`);
  process.exit(2);
}
const flags = ["--import", "tsx", "--test", "--test-concurrency=2", "--test-reporter=spec"];
const { status } = spawnSync(process.execPath, [...flags, ...files], { stdio: "inherit" });
process.exit(status ?? 1);
