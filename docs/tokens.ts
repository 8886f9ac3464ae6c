/** Writes docs/tokens.md. */
import { writeFileSync } from "node:fs";
import { countTokens, tokensPage } from "./tokens-page.ts";

writeFileSync(new URL("tokens.md", import.meta.url), tokensPage(countTokens()));
