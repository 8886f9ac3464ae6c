import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findSecret } from "../../scripts-src/core/brain/secrets.ts";

const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6kL9n";

/** Put together here, so that no scanner takes this file for a leak. */
const secrets: [name: string, text: string][] = [
  ["a private key", `-----BEGIN ${"RSA PRIVATE"} KEY-----\nMIIE`],
  ["a private key", `-----BEGIN ${"OPENSSH PRIVATE"} KEY-----`],
  ["an AWS access key", `AKIA${"ABCDEFGH12345678"}`],
  ["a GitHub token", `push with ghp_${letters.slice(0, 36)} please`],
  ["a GitHub token", `github_pat_${letters}${letters.slice(0, 20)}`],
  ["a GitLab token", `glpat-${letters.slice(0, 20)}`],
  ["an npm token", `npm_${letters.slice(0, 36)}`],
  ["an Anthropic key", `sk-ant-api03-${letters}`],
  ["an OpenAI key", `sk-proj-${letters}`],
  ["a Google API key", `AIza${letters.slice(0, 35)}`],
  ["a Slack token", `xoxb-${"1234567890"}-abc`],
  ["a Stripe key", `sk_live_${letters.slice(0, 24)}`],
  [
    "a JSON web token",
    `eyJ${letters.slice(0, 20)}.eyJ${letters.slice(0, 20)}.${letters.slice(0, 20)}`,
  ],
  ["an Authorization header", `Authorization: Bearer ${letters}`],
  ["a password in an address", `postgres://app:${"s3cr3t!pw"}@db.example/app`],
  ["a password or key", `DB_PASSWORD=${"hunter2!hunter2"}`],
  ["a password or key", `"api_key": "${letters}"`],
  ["a password or key", `password: ${"Tr0ub4dor&3"}`],
];

const harmless: string[] = [
  "The password is in 1Password under staging.",
  "password: changeme",
  "API_KEY=$API_KEY in .env",
  "apiKey: process.env.API_KEY",
  "password = getPassword()",
  "secret: <your secret here>",
  "passwords: string[]",
  "the secret: simplicity",
  "access_token=xxxxxxxxxxxx",
  "Authorization: Bearer <token>",
  "postgres://user:$PASSWORD@db/app",
  "postgres://localhost:5432/app",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes it",
  "uuid 123e4567-e89b-12d3-a456-426614174000",
  "sk-learn is a library; disk-usage-of-everything-in-the-long-name",
  "a task-list-of-many-words-that-are-joined-together",
  "ssh keys live in ~/.ssh; -----BEGIN CERTIFICATE-----",
  "ghp_ tokens go into the keychain",
];

describe("the secrets filter", () => {
  for (const [name, text] of secrets) {
    it(`finds ${name} in ${text.slice(0, 14)}...`, () => assert.equal(findSecret(text), name));
  }

  for (const text of harmless) {
    it(`lets pass: ${text}`, () => assert.equal(findSecret(text), undefined));
  }

  it("is quick on whatever comes", () => {
    const started = performance.now();
    for (const piece of [
      "a",
      "-",
      "eyJ",
      "sk-",
      "password=",
      "x://a:",
      "-----BEGIN ",
      "api_key ",
    ]) {
      findSecret(piece.repeat(Math.ceil(65_536 / piece.length)));
    }
    assert(performance.now() - started < 2_000);
  });
});
