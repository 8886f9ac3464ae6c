/** Writes docs/brain-methods.md. */
import { writeFileSync } from "node:fs";
import { referencePage } from "./reference-page.ts";

writeFileSync(new URL("brain-methods.md", import.meta.url), referencePage());
