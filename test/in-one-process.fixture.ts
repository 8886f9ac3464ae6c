/** Runs the test files that it is given, all in this process: most of a short file's time is its start. */
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
