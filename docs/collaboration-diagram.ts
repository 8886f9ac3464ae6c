/** Writes the generated parts of docs/collaboration.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { withDiagrams } from "./diagram.ts";

const path = new URL("collaboration.md", import.meta.url);
writeFileSync(path, withDiagrams(readFileSync(path, "utf8")));
