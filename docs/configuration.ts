/** Writes docs/configuration.md. */
import { writeFileSync } from "node:fs";
import { configurationPage } from "./configuration-page.ts";

writeFileSync(new URL("configuration.md", import.meta.url), configurationPage());
