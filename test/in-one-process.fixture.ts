/**
 * Runs the test files that it is given in this process, each as a suite with hooks of its own: most of
 * the time of a short file is the start of its process.
 */
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) describe(file, () => import(pathToFileURL(file).href));
