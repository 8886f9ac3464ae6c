/** Plays the recorded sessions of examples/ anew and writes their reports: `npm run examples`. */
import { writeFileSync } from "node:fs";
import { exampleNames, playExample, reportFile } from "../test/trust/examples.ts";

for (const name of exampleNames) {
  writeFileSync(reportFile(name), playExample(name));
  process.stdout.write(`examples/${name}/report.md\n`);
}
