import { withoutInvisible } from "../visible-text.ts";

/**
 * What credentials look like, with words of which each one holds one, in small letters: a text without
 * them is not searched, which would cost its process two milliseconds for making all the patterns.
 * Precision first: whoever means it can insist.
 */
const shapes: readonly (readonly [name: string, words: string, shape: RegExp])[] = [
  [
    "a private key",
    "-----begin",
    // With its lines, which end the text, are followed by another one or by the end of the key.
    /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:(?:\r?\n|\\r|\\n){1,2}[A-Za-z0-9+/=]{1,80}(?=[\r\n\\]|$)){0,400}(?:(?:\r?\n|\\r|\\n){1,2}-----END [A-Z0-9 ]{0,60}-----)?/g,
  ],
  ["a private key", "age-secret-key-1", /\bAGE-SECRET-KEY-1[A-Z0-9]{58}/g],
  ["an AWS access key", "akia asia", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [
    "a GitHub token",
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})/g,
  ],
  [
    "a GitLab token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat-",
    /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}/g,
  ],
  ["an npm token", "npm_", /\bnpm_[A-Za-z0-9]{36}/g],
  ["a PyPI token", "pypi-", /\bpypi-[A-Za-z0-9_-]{50,255}/g],
  ["a Docker token", "dckr_", /\bdckr_[po]at_[A-Za-z0-9_-]{20,255}/g],
  ["an Anthropic key", "sk-ant-", /\bsk-ant-[A-Za-z0-9_-]{20,255}/g],
  ["an OpenAI key", "sk-", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,255}/g],
  [
    "a key of a model provider",
    "gsk_ xai- pplx- r8_ hf_",
    /\b(?:gsk_|xai-|pplx-|r8_|hf_)[A-Za-z0-9]{30,255}/g,
  ],
  ["a Google API key", "aiza", /\bAIza[A-Za-z0-9_-]{35}/g],
  ["a Google OAuth secret", "gocspx- ya29.", /\b(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,255}/g],
  ["a Slack token", "xox", /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g],
  [
    "a webhook",
    "hooks.slack.com/",
    /\bhooks\.slack\.com\/services\/T[A-Z0-9]{5,20}\/B[A-Z0-9]{5,20}\/[A-Za-z0-9]{16,40}/g,
  ],
  [
    "a webhook",
    "/api/webhooks/",
    /\bdiscord(?:app)?\.com\/api\/webhooks\/[0-9]{10,25}\/[A-Za-z0-9_-]{40,100}/g,
  ],
  ["a Telegram token", ":aa", /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b/g],
  ["a Stripe key", "k_live_ k_test_", /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g],
  ["a SendGrid key", "sg.", /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g],
  ["a Twilio key", "sk", /\bSK[0-9a-f]{32}\b/g],
  ["a DigitalOcean token", "_v1_", /\bdo[por]_v1_[0-9a-f]{64}/g],
  ["a Shopify token", "shp", /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g],
  ["a Vault token", "hvs. hvb.", /\bhv[sb]\.[A-Za-z0-9_-]{24,255}/g],
  ["a Databricks token", "dapi", /\bdapi[0-9a-f]{32}\b/g],
  ["an Azure key", "accountkey=", /\bAccountKey=[A-Za-z0-9+/]{80,90}={0,2}/g],
  [
    "a JSON web token",
    "eyj",
    // Begins near the start of its run of signs: from each of many starts it would read on for long.
    /\beyJ(?<=(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{0,40}eyJ)[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,2048}/g,
  ],
  [
    "an Authorization header",
    "authorization",
    /\bauthorization["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}(?:bearer|basic|token)\s{1,4}[A-Za-z0-9._~+/=-]{12,4096}/gi,
  ],
  [
    "a password in an address",
    "://",
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,64}:[^\s/:@${}<>*]{3,128}@[^\s/@]/gi,
  ],
  [
    "a password in .netrc",
    "login",
    /\blogin\s{1,4}\S{1,128}\s{1,4}password\s{1,4}[^\s<$]\S{2,128}/g,
  ],
];

const wordsOfAssignments = "password passwd passphrase secret key token";

/** `password = ...`: the end of a secret's name with something behind it that may be no placeholder. */
const assignments = [
  /(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key)["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}([^\s"',;\\]{8,256})/gi,
  /--(?:password|passphrase|api-key|secret|token)\s{1,4}["']?([^\s"',;\\]{8,256})/gi,
  /token["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}([A-Za-z0-9_+/=-]{20,256})(?![\w.([])/gi,
];

const placeholder =
  /^(?:[$<{%[(*.]|x{3,}|\.{3}|your|example|changeme|placeholder|redacted|process\.|os\.|env|null|none|undefined|true|false|string\b)|[({]/i;

/** The text as it is read: a sign that nobody sees hides no credential. Most are plain and cost nothing. */
function asRead(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? withoutInvisible(text).normalize("NFKC") : text;
}

/** Says what credential a text holds, or undefined. */
export function findSecret(given: string): string | undefined {
  const text = asRead(given);
  const small = text.toLowerCase();
  const holdsOneOf = (words: string) => words.split(" ").some((word) => small.includes(word));
  const isIn = (words: string, shape: RegExp) => holdsOneOf(words) && text.search(shape) >= 0;
  const shape = shapes.find(([, words, pattern]) => isIn(words, pattern));
  if (shape !== undefined) return shape[0];
  if (!holdsOneOf(wordsOfAssignments)) return undefined;
  const found = assignments.flatMap((pattern) => [...text.matchAll(pattern)]);
  return found.some(([, value = ""]) => isSecretValue(value)) ? "a password or key" : undefined;
}

/** A text that says where a credential was instead of holding it. */
export function withoutSecrets(given: string): string {
  const text = replaceSecrets(given);
  // As it was written, unless that leaves one in that nobody sees.
  return findSecret(text) === undefined ? text : replaceSecrets(asRead(given));
}

function replaceSecrets(text: string): string {
  const rest = shapes.reduce(
    (it, [name, , shape]) => it.replace(shape, `[${name}, left out]`),
    text,
  );
  return assignments.reduce(
    (it, pattern) =>
      it.replace(pattern, (whole: string, value: string) =>
        isSecretValue(value) ? `${whole.slice(0, -value.length)}[left out]` : whole,
      ),
    rest,
  );
}

/** Words are no secrets, however long; a mixture of letters and digits or signs may be one. */
function isSecretValue(value: string): boolean {
  if (placeholder.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value));
  return kinds.length >= 2 && /[0-9!#%&*+=?@^~]/.test(value);
}
