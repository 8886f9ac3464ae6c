/** What credentials look like. Precision first: whoever means it can insist. */
const shapes: readonly (readonly [name: string, shape: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/],
  ["an AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50})/],
  ["a GitLab token", /\bglpat-[A-Za-z0-9_-]{20}/],
  ["an npm token", /\bnpm_[A-Za-z0-9]{36}/],
  ["an Anthropic key", /\bsk-ant-[A-Za-z0-9_-]{20}/],
  ["an OpenAI key", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32}/],
  ["a Google API key", /\bAIza[A-Za-z0-9_-]{35}/],
  ["a Google OAuth secret", /\bGOCSPX-[A-Za-z0-9_-]{20}/],
  ["a Slack token", /\bxox[abeoprs]-[A-Za-z0-9-]{10}/],
  ["a Stripe key", /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16}/],
  ["a JSON web token", /\beyJ[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8}/],
  [
    "an Authorization header",
    /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic)\s{1,4}[A-Za-z0-9._~+/=-]{12}/i,
  ],
  [
    "a password in an address",
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,64}:[^\s/:@${}<>*]{3,128}@[^\s/@]/i,
  ],
];

/** `password = ...`: the name of a secret with something behind it that is no placeholder. */
const assignment =
  /\b[a-z0-9_-]{0,32}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?([^\s"',;]{8,256})/gi;

const placeholder =
  /^(?:[$<{%[(*.]|x{3,}|\.{3}|your|example|changeme|placeholder|redacted|process\.|os\.|env|null|none|undefined|true|false|string\b)|[({]/i;

/** Says what credential a text holds, or undefined. */
export function findSecret(text: string): string | undefined {
  const shape = shapes.find(([, pattern]) => pattern.test(text));
  if (shape !== undefined) return shape[0];
  for (const [, value = ""] of text.matchAll(assignment)) {
    if (isSecretValue(value)) return "a password or key";
  }
  return undefined;
}

/** Words are no secrets, however long; a mixture of letters and digits or signs may be one. */
function isSecretValue(value: string): boolean {
  if (placeholder.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value));
  return kinds.length >= 2 && /[0-9!#%&*+=?@^~]/.test(value);
}
