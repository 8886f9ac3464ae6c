import { withoutInvisible } from "./visible-text.ts";

/**
 * What credentials look like by themselves. A text is searched for a shape only when it holds one of the
 * shape's words (lower case, separated by blanks), and the pattern is made only then: making all of them
 * takes milliseconds. A miss is better than a false alarm; a user can insist on storing what is found.
 */
const shapes: readonly (readonly [name: string, words: string, shape: () => RegExp])[] = [
  [
    "a private key",
    "-----begin",
    // With the lines of the key, also where its end is missing.
    () =>
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:(?:\r?\n|\\r|\\n){1,2}[A-Za-z0-9+/=]{1,80}(?=[\r\n\\]|$)){0,400}(?:(?:\r?\n|\\r|\\n){1,2}-----END [A-Z0-9 ]{0,60}-----)?/g,
  ],
  ["a private key", "age-secret-key-1", () => /\bAGE-SECRET-KEY-1[A-Z0-9]{58}/g],
  ["an AWS access key", "akia asia", () => /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [
    "a GitHub token",
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    () => /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})/g,
  ],
  [
    "a GitLab token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glsoat-",
    () => /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}/g,
  ],
  ["an npm token", "npm_", () => /\bnpm_[A-Za-z0-9]{36}/g],
  ["a PyPI token", "pypi-", () => /\bpypi-[A-Za-z0-9_-]{50,255}/g],
  ["a Docker token", "dckr_", () => /\bdckr_[po]at_[A-Za-z0-9_-]{20,255}/g],
  ["an Anthropic key", "sk-ant-", () => /\bsk-ant-[A-Za-z0-9_-]{20,255}/g],
  ["an OpenAI key", "sk-", () => /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,255}/g],
  [
    "a key of a model provider",
    "gsk_ xai- pplx- r8_ hf_",
    () => /\b(?:gsk_|xai-|pplx-|r8_|hf_)[A-Za-z0-9]{30,255}/g,
  ],
  ["a Google API key", "aiza", () => /\bAIza[A-Za-z0-9_-]{35}/g],
  ["a Google OAuth secret", "gocspx- ya29.", () => /\b(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,255}/g],
  ["a Slack token", "xox", () => /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g],
  [
    "a webhook",
    "hooks.slack.com/",
    () => /\bhooks\.slack\.com\/services\/T[A-Z0-9]{5,20}\/B[A-Z0-9]{5,20}\/[A-Za-z0-9]{16,40}/g,
  ],
  [
    "a webhook",
    "/api/webhooks/",
    () => /\bdiscord(?:app)?\.com\/api\/webhooks\/[0-9]{10,25}\/[A-Za-z0-9_-]{40,100}/g,
  ],
  ["a Telegram token", ":aa", () => /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b/g],
  ["a Stripe key", "k_live_ k_test_", () => /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g],
  ["a SendGrid key", "sg.", () => /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g],
  ["a Twilio key", "sk", () => /\bSK[0-9a-f]{32}\b/g],
  ["a DigitalOcean token", "_v1_", () => /\bdo[por]_v1_[0-9a-f]{64}/g],
  ["a Shopify token", "shp", () => /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g],
  ["a Vault token", "hvs. hvb.", () => /\bhv[sb]\.[A-Za-z0-9_-]{24,255}/g],
  ["a Databricks token", "dapi", () => /\bdapi[0-9a-f]{32}\b/g],
  ["an Azure key", "accountkey=", () => /\bAccountKey=[A-Za-z0-9+/]{80,90}={0,2}/g],
  [
    "a JSON web token",
    "eyj",
    // Only near the start of a run of such characters: to try each place in a long run takes very long.
    () =>
      /\beyJ(?<=(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{0,40}eyJ)[A-Za-z0-9_-]{8,2048}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,2048}/g,
  ],
  [
    "an Authorization header",
    "authorization",
    () =>
      /\bauthorization["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}(?:bearer|basic|token)\s{1,4}[A-Za-z0-9._~+/=-]{12,4096}/gi,
  ],
  [
    "a Sentry DSN",
    "://",
    () => /\bhttps?:\/\/[0-9a-f]{32}(?::[0-9a-f]{32})?@[^\s/@]{1,255}\/[0-9]+/gi,
  ],
  [
    "a password in .netrc",
    "login",
    () => /\blogin\s{1,4}\S{1,128}\s{1,4}password\s{1,4}[^\s<$]\S{2,128}/g,
  ],
];

/** A secret that is known by the words before it. */
interface NamedSecret {
  /** What it is called; "a password or key" where nothing is given. */
  readonly name?: string;
  /** In lower case; a text without any of them is not searched. */
  readonly words: readonly string[];
  /** A function, so that no start pays for patterns that it does not need. Group 1 is the value. */
  readonly pattern: () => RegExp;
  readonly isSecret: (value: string) => boolean;
}

const namedSecrets: readonly NamedSecret[] = [
  // `password = ...`: a name that ends like a secret's, and a value that is no placeholder.
  {
    words: ["password", "passwd", "passphrase", "secret", "key"],
    pattern: () =>
      /(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key)["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}([^\s"',;\\]{8,256})/gi,
    isSecret: isSecretValue,
  },
  // `DB_PASS=...`, `api_token: ...`: what ends so may as well be counted or looked up by it.
  {
    words: ["pass", "pwd", "auth", "token", "key", "credential"],
    pattern: () =>
      /[a-z0-9:][_-](?:pass|pwd|auth|token|key|credentials?)["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}([^\s"',;\\]{8,256})/gi,
    isSecret: looksRandom,
  },
  {
    name: "a password in an address",
    words: ["://"],
    pattern: () =>
      /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,64}:([^\s/:@${}<>*]{3,128})(?=@[^\s/@])/gi,
    isSecret: (value) => !weakWord.test(value),
  },
  {
    name: "a key in a DSN",
    words: ["dsn"],
    pattern: () =>
      /dsn["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}(?:[a-z][a-z0-9+.-]{1,20}:\/\/|[^\s:@/"']{1,64}:)([^\s:@/"']{8,128})(?=@)/gi,
    isSecret: looksRandom,
  },
  {
    words: ["--"],
    pattern: () =>
      /--(?:password|passphrase|api-key|secret|token)\s{1,4}["']?([^\s"',;\\]{8,256})/gi,
    isSecret: isSecretValue,
  },
  {
    words: ["token"],
    pattern: () =>
      /token["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}([A-Za-z0-9_+/=-]{20,256})(?![\w.([])/gi,
    isSecret: isSecretValue,
  },
  // `curl -u user:...`: any password counts here, a short or simple one too.
  {
    words: ["curl"],
    pattern: () =>
      /\bcurl(?=\s)[^\n|;]{0,200}?\s(?:-u|--user)(?:\s{1,4}|=)?["']?[^\s:"'$]{1,64}:([^\s"']{3,128})/g,
    isSecret: (value) => !placeholder.test(value),
  },
  {
    words: ["sshpass"],
    pattern: () => /\bsshpass\s{1,4}-p\s{0,4}["']?([^\s"']{3,128})/g,
    isSecret: isSecretValue,
  },
];

const placeholder =
  /^(?:[$<{%[(*.]|x{3,}|\.{3}|your|example|changeme|placeholder|redacted|process\.|os\.|env|null|none|undefined|true|false|string\b)|^[\w.]*[({]|\$\{/i;
/** What documentation and set-ups for development have in place of a password. */
const weakWord =
  /^(?:my|your|the|some)?[-_]?(?:password|passwd|pass|pwd?|secret|user(?:name)?|root|admin|postgres|mysql|guest|test|dev|example|change[-_]?me|x{3,}|\.{3,})\d{0,3}$/i;
/** Keys that vendors print in their documentation, and those made of one character. */
const sample =
  /EXAMPLE|4eC39HqLyjWDarjtT1zdp7dc|BQokikJOvBiI2HlWgH4olfQ2|SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c|Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq|([x0*])\1{11}/i;

/** The text as a reader sees it: invisible characters do not hide a credential. ASCII costs nothing. */
function asRead(text: string): string {
  return /[^\x00-\x7f]/.test(text) ? withoutInvisible(text).normalize("NFKC") : text;
}

/** Says what credential a text holds, or undefined. */
export function findSecret(given: string): string | undefined {
  const text = asRead(given);
  const lowerCase = text.toLowerCase();
  const holdsOneOf = (words: readonly string[]) => words.some((it) => lowerCase.includes(it));
  const shape = shapes.find(
    ([, words, pattern]) =>
      holdsOneOf(words.split(" ")) && text.match(pattern())?.some((it) => !sample.test(it)),
  );
  if (shape !== undefined) return shape[0];
  const named = namedSecrets.find(
    (it) =>
      holdsOneOf(it.words) &&
      [...text.matchAll(it.pattern())].some(([, value = ""]) => isSecretOf(it, value)),
  );
  return named && (named.name ?? "a password or key");
}

/** A text that says where a credential was instead of holding it. */
export function withoutSecrets(given: string): string {
  const text = replaceSecrets(given);
  // The text keeps its invisible characters unless they hide a credential.
  return findSecret(text) === undefined ? text : replaceSecrets(asRead(given));
}

function replaceSecrets(text: string): string {
  const rest = shapes.reduce(
    (it, [name, , shape]) =>
      it.replace(shape(), (whole) => (sample.test(whole) ? whole : `[${name}, left out]`)),
    text,
  );
  return namedSecrets.reduce(
    (it, secret) =>
      it.replace(secret.pattern(), (whole: string, value: string) =>
        isSecretOf(secret, value) ? `${whole.slice(0, -value.length)}[left out]` : whole,
      ),
    rest,
  );
}

function isSecretOf({ isSecret }: NamedSecret, value: string): boolean {
  return isSecret(value) && !sample.test(value);
}

/** Words are no secrets, however long; a mixture of letters with digits or punctuation may be one. */
function isSecretValue(value: string): boolean {
  if (placeholder.test(value) || isPointer(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value));
  return kinds.length >= 2 && /[0-9!#%&*+=?@^~]/.test(value);
}

/** Letters and digits that take turns, or signs between them: no word with a number after it. */
function looksRandom(value: string): boolean {
  if (!isSecretValue(value)) return false;
  const runs = value.match(/[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+/g) ?? [];
  const isNamed = /^[a-z]+(?:[-_.:/][a-z0-9]+)*$/i.test(value) && runs.length < 8;
  return runs.length > 2 && !(isNamed && !/[0-9][a-z]+[0-9]|[a-z][0-9]+[a-z]/i.test(value));
}

/** An address or path of words that says where a secret is kept is no secret itself. */
function isPointer(value: string): boolean {
  if (/^(?:arn:|vault:|op:\/\/|ssm:|secretmanager:)/i.test(value)) return true;
  const parts = value.replace(/^[./]+|[.,/]+$/g, "").split("/");
  return parts.length > 1 && parts.every((part) => pathPart.test(part));
}

/** Words, a short number, or both; a key in base64 has mixtures between its slashes. */
const pathPart =
  /^(?:(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)(?:[-_.](?:[a-z]+|[A-Z][a-z]+|[A-Z]+))*[-_.]?)?\d{0,4}$/;
