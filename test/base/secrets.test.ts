import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findSecret, withoutSecrets } from "../../scripts-src/base/secrets.ts";
import { snapshotContent } from "../../scripts-src/brain/rules/session-handover.ts";
import { cpuMs } from "../cpu-time.ts";

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
  [
    "a private key",
    `AGE-SECRET-KEY-1${"A2B3C4D5E6F7G8H9J0K1L2M3N4P5Q6R7S8T9U0V1W2X3Y4Z5A6B7C8D9E0"}`,
  ],
  ["a PyPI token", `pypi-AgEI${letters}${letters}`],
  ["a Docker token", `dckr_pat_${letters.slice(0, 27)}`],
  ["a key of a model provider", `hf_${letters.slice(0, 34)}`],
  ["a key of a model provider", `gsk_${letters}${letters.slice(0, 12)}`],
  ["a Google OAuth secret", `GOCSPX-${letters.slice(0, 28)}`],
  [
    "a webhook",
    `https://hooks.slack.com/services/T${"0A1B2C3D"}/B${"0A1B2C3D"}/${letters.slice(0, 24)}`,
  ],
  [
    "a webhook",
    `https://discord.com/api/webhooks/${"123456789012345678"}/${letters}${letters.slice(0, 28)}`,
  ],
  ["a Telegram token", `bot ${"123456789"}:AA${letters.slice(0, 33)}`],
  ["a SendGrid key", `SG.${letters.slice(0, 22)}.${letters}abc`],
  ["a Twilio key", `SK${"0123456789abcdef".repeat(2)}`],
  ["a DigitalOcean token", `dop_v1_${"0123456789abcdef".repeat(4)}`],
  ["a Shopify token", `shpat_${"0123456789abcdef".repeat(2)}`],
  ["a Vault token", `hvs.${letters.slice(0, 30)}`],
  ["a Databricks token", `dapi${"0123456789abcdef".repeat(2)}`],
  ["an Azure key", `AccountKey=${letters}${letters}abcdef==;EndpointSuffix=x`],
  ["an Authorization header", `-H 'Authorization: token ${letters}'`],
  ["a password in an address", `redis://:${"s3cr3t!pw"}@cache:6379`],
  ["a password in .netrc", `machine example.com login me password ${"hunter22"}`],
  ["a password or key", `{"note":"{\\"password\\":\\"${"Tr0ub4dor&3"}\\"}"}`],
  ["a password or key", `mytool --password ${"hunter2!hunter2"}`],
  ["a password or key", `CI_TOKEN=${letters.slice(0, 24)}`],
  ["a password or key", `DB_PASSWORD=${"hunter2!hunter2"}`],
  ["a password or key", `"api_key": "${letters}"`],
  ["a password or key", `password: ${"Tr0ub4dor&3"}`],
  ["a password or key", `curl -u ${"deploy:s3cretpw"} https://ci.example/run`],
  ["a password or key", `curl -s --user '${"deploy:autumn"}' https://ci.example/run`],
  ["a password or key", `sshpass -p ${"hunter22"} ssh root@host`],
  // Names that end like a secret's, with values of any length.
  ["a password or key", `API_TOKEN=${"9f8a7b6c5d4e"}`],
  ["a password or key", `export SECRET_KEY='${"p&l%385148kslhtyn^##a1)ilz@4zqj"}'`],
  ["a password or key", `DB_PASS=${"s3cr3tPw9"}`],
  ["a password or key", `MYSQL_PWD=${"Kx7wQ2mZ"} mysqldump shop`],
  ["a password or key", `REDIS_AUTH: "${"q8Zt4Lm2Xc"}"`],
  ["a password or key", `npm config set //registry.example/:_auth=${"YWRtaW46czNjcjN0UHc5"}`],
  ["a password or key", `"refresh_token": "${"1//0gA7xB9cD2eF4"}"`],
  ["a key in a DSN", `SENTRY_DSN=https://${"a1b2c3d4e5f60718"}@o1.ingest.example/42`],
  ["a key in a DSN", `DATABASE_DSN="${"app:s3cr3tPw9"}@tcp(db:3306)/shop"`],
  ["a Sentry DSN", `https://${"0123456789abcdef".repeat(2)}@o12345.ingest.sentry.io/67890`],
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
  "hf_hub_download(repo_id, filename) loads the weights",
  "pypi-publish is the name of the action",
  "SG.12 is a street; SKU 12345 is a number",
  "token: process.env.GITHUB_TOKEN",
  "const token = tokens[index + 1];",
  "max_tokens: 200000, token_usage={current: 10, total: 100}",
  "tool --token $TOKEN --password <secret>",
  "login with your account, password manager says which",
  "the webhook lives at https://hooks.slack.com/services/ plus the path in 1Password",
  "redis://cache:6379/0 and https://user@host/path",
  "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  "dapi is how we call the data API",
  "a key such as consulta/session-1/decision-2026-04-22",
  "csrf_token: {{ csrf_token }}",
  "secret: projects/orchid/secrets/db/versions/1",
  "password: op://Private/db-prod2/password",
  "secret = arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-a1B2c3",
  "password: vault:secret/data/db#password",
  "curl -u $USER:$TOKEN https://ci.example/run",
  "curl -u user:<password> https://ci.example/run",
  "curl -s https://ci.example/run -o out.txt",
  "postgres://user:password@localhost/dev and mysql://root:root@db/test",
  "amqp://guest:guest@localhost:5672 or redis://:changeme@cache:6379",
  // As vendors print them.
  `AWS_ACCESS_KEY_ID=AKIA${"IOSFODNN7EXAMPLE"}`,
  `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${"EXAMPLEKEY"}`,
  `sk_test_${"4eC39HqLyjWDarjtT1zdp7dc"} is Stripe's own`,
  `ghp_${"x".repeat(36)}`,
  "SECRET_KEY=your-secret-key-1 and API_TOKEN=<token>",
  `DB_PASS=${"$"}{DB_PASS} SECRET_KEY=$(openssl rand -hex 32)`,
  "API_TOKEN=xxxxxxxxxxxx1",
  "cache_key=user:1234 and primary-key: order_id2",
  "public_key: ./keys/id_ed25519.pub",
  "sort_key=created_at_2 partition_key: tenant-42",
  "two_factor_auth: required2026",
  "SENTRY_DSN=https://examplePublicKey@o0.ingest.example/0",
];

describe("the secrets filter", () => {
  for (const [name, text] of secrets) {
    it(`finds ${name} in ${text.slice(0, 14)}...`, () => assert.equal(findSecret(text), name));
  }

  for (const text of harmless) {
    it(`lets pass: ${text}`, () => assert.equal(findSecret(text), undefined));
  }

  for (const [name, text] of secrets) {
    it(`leaves out ${name} of what is kept unasked: ${text.slice(0, 14)}...`, () => {
      const kept = withoutSecrets(`before ${text} after`);
      assert.match(kept, /^before [\s\S]*left out\][\s\S]*after$/);
      assert.equal(findSecret(kept), undefined);
    });
  }

  it("leaves out the whole of a private key, not what stands around it", () => {
    const lines = [
      `-----BEGIN ${"PRIVATE"} KEY-----`,
      "MIIEvQIBADAN",
      "Bgkqhki+/G9w==",
      "-----END",
    ];
    const key = `${lines.join("\n")} ${"PRIVATE"} KEY-----`;
    for (const text of [key, JSON.stringify(key), key.split("\n").slice(0, 3).join("\n")]) {
      const kept = withoutSecrets(`see\n${text}\nthat is it`);
      assert.doesNotMatch(kept, /MIIE|Bgkq|END/);
      assert.match(kept, /^see\n"?\[a private key, left out\]"?\nthat is it$/);
    }
  });

  it("leaves what is harmless as it is", () => {
    for (const text of harmless) assert.equal(withoutSecrets(text), text);
  });

  it("keeps credentials out of snapshots", () => {
    const prompt = `push with ghp_${letters.slice(0, 36)} please`;
    const kept = { prompt: "push with [a GitHub token, left out] please" };
    assert.deepEqual(snapshotContent({ prompt }), kept);
  });

  it("takes time that grows as the text does, whatever its pieces are", () => {
    const starts = [
      ..."eyJ sk- sk-proj- sk-ant- xoxb- glpat- pypi- ghp_a github_pat_a npm_a SG. SK AKIA hvs. dapi".split(
        " ",
      ),
      ..."hooks.slack.com/services/T discord.com/api/webhooks/1 12345678:AA GOCSPX- dckr_pat_a".split(
        " ",
      ),
      ..."AccountKey= authorization:bearer_ password= token= token: a:// x://a: api_key".split(" "),
      ..."curl_ curl_-u_".split(" "),
      ..."a login_ --password_ -----BEGIN_ AGE-SECRET-KEY-1 eyJaaaaaaaa.".split(" "),
    ];
    const pieces = starts
      .map((it) => (/^(?:curl|sshpass|[Pp]assw)/.test(it) ? it.replaceAll("_", " ") : it))
      .map((it) => it.replace(/_$/, " "))
      .flatMap((it) => [it, `-${it}`, `${it}aaaaaaaa.`, `${it}-a-b\n`]);
    const sized = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length));
    for (const piece of pieces) {
      const [short, long] = [32_768, 131_072].map((length) => {
        const text = sized(piece, length);
        const started = cpuMs();
        findSecret(text);
        withoutSecrets(text);
        return cpuMs() - started;
      });
      assert(short !== undefined && long !== undefined);
      const told = `${JSON.stringify(piece)}: ${Math.round(short)} ms, then ${Math.round(long)} ms`;
      assert(long < 8 * short + 200 && long < 1_000, told);
    }
  });
});
