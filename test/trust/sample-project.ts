/** The project that the cases talk about: small, real, and with a fault or two to find. */
export const sampleProject: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "sample",
  "version": "1.4.0",
  "type": "module",
  "license": "MIT",
  "engines": { "node": ">=20" },
  "scripts": { "test": "node --test" }
}
`,
  "src/retry.js": `/** Retries a call that failed. */
export const attemptsMax = 5;
export const baseDelayMs = 100;

export function delayFor(attempt) {
  // Full jitter: anything from nothing to the cap.
  const cap = Math.min(30_000, baseDelayMs * 2 ** attempt);
  return Math.random() * cap;
}

export async function retry(call) {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (error.code === "EAUTH") throw error;
      await sleep(delayFor(attempt));
    }
  }
  throw new Error("gave up");
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`,
  "src/cache.js": `const entries = new Map();
export const entriesMax = 1000;

export function remember(key, value) {
  if (entries.size >= entriesMax) entries.delete(entries.keys().next().value);
  entries.set(key, value);
}

export function recall(key) {
  return entries.get(key);
}
`,
  "src/login.js": `import { timingSafeEqual } from "node:crypto";

export function isRight(given, stored) {
  // TODO compare in constant time
  return given === stored;
}

export const sessionMinutes = 30;
`,
  "docs/limits.md": `# Limits

A client may send 100 requests a minute.
Every retry counts as a request.
The cache holds at most 1000 entries.
`,
  "test/retry.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsMax, delayFor } from "../src/retry.js";

test("a delay is never above its cap", () => {
  assert.equal(attemptsMax, 5);
  for (let attempt = 0; attempt < 10; attempt += 1) assert(delayFor(attempt) <= 30_000);
});
`,
  "test/cache.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { recall, remember } from "../src/cache.js";

test("an entry that was used stays", () => {
  remember("used", 1);
  for (let key = 0; key < 999; key += 1) remember(key, key);
  recall("used");
  remember("one more", 1);
  assert.equal(recall("used"), 1);
});
`,
  "CHANGELOG.md": "# Changes\n\n## 1.4.0\n\n- Retries use full jitter.\n",
};
