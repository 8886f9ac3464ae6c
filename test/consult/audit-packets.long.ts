import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";

interface AuditPacket {
  readonly name: string;
  readonly language: string;
  readonly truth: string;
  readonly why: string;
  readonly seen: string;
  readonly claim: { readonly check: string; readonly expect: string };
  readonly source: {
    readonly package: string;
    readonly version: string;
    readonly licence: string;
    readonly file?: string;
    readonly lines?: string;
    readonly search?: string;
    readonly command?: readonly string[];
  };
}

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "bench/audit");
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
const packets: AuditPacket[] = files.flatMap((name) =>
  parse(readFileSync(join(folder, name), "utf8")),
);
const permissive = new Set(["MIT", "ISC", "BSD-3-Clause", "Apache-2.0"]);

function countsOf(of: (packet: AuditPacket) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const packet of packets) counts[of(packet)] = (counts[of(packet)] ?? 0) + 1;
  return counts;
}

describe("the packets of bench/audit", () => {
  it("are two hundred, of known truth, twenty of them not in English", () => {
    const truths = { shows: 100, does_not_show: 60, cannot_tell: 40 };
    assert.deepEqual(
      countsOf(({ truth }) => truth),
      truths,
    );
    const languages = { en: 180, ru: 5, de: 5, ja: 5, es: 5 };
    assert.deepEqual(
      countsOf(({ language }) => language),
      languages,
    );
    assert.equal(new Set(packets.map(({ name }) => name)).size, packets.length);
  });

  it("hold the expected words in what was seen, and a reason for their truth", () => {
    for (const { name, seen, claim, why } of packets) {
      assert(seen.includes(claim.expect), `${name}: no ${claim.expect}`);
      assert(why.length > 5, name);
    }
  });

  it("quote packages that permit it, each with its notice", () => {
    const notice = readFileSync(join(folder, "NOTICE"), "utf8");
    for (const { name, source } of packets) {
      assert(permissive.has(source.licence), `${name}: ${source.licence}`);
      const heading = `${source.package} ${source.version} (${source.licence})\n`;
      assert(isOurs(source) || notice.includes(heading), `${name}: no notice of ${heading}`);
    }
  });

  for (const name of new Set(packets.map(({ source }) => source.package))) {
    const own = packets.filter(({ source }) => source.package === name);
    it(`quote ${name} as it is`, { skip: whyOther(own[0]?.source) }, () => {
      for (const packet of own) assert.equal(packet.seen, seenToday(packet), packet.name);
    });
  }
});

type Source = AuditPacket["source"];

function isOurs(source: Source): boolean {
  return source.package === "consulta";
}

/** Why excerpts cannot be compared here; false where they can. */
function whyOther(source: Source | undefined): string | false {
  if (source === undefined) return "no packets";
  if (isOurs(source)) {
    const { status } = git("cat-file", "-e", source.version);
    return status !== 0 && `the commit ${source.version} is not in this clone`;
  }
  const about = readFileSync(join(root, "node_modules", source.package, "package.json"), "utf8");
  const { version } = JSON.parse(about);
  return version !== source.version && `${source.package} is ${version}, not ${source.version}`;
}

function seenToday({ source, claim }: AuditPacket): string {
  if (source.command !== undefined) {
    const [, ...words] = source.command;
    const ran = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
    return ran.stdout.trimEnd();
  }
  const { file = "", lines, search } = source;
  if (search !== undefined) {
    assert(claim.check.startsWith(`find ${JSON.stringify(search)} `), claim.check);
    return foundLines(join("node_modules", source.package, file), search).join("\n");
  }
  const [from = 1, to = from] = (lines ?? "").split("-").map(Number);
  const text = isOurs(source)
    ? git("show", `${source.version}:${file}`).stdout
    : readFileSync(join(root, "node_modules", source.package, file), "utf8");
  return text
    .split("\n")
    .slice(from - 1, to)
    .join("\n")
    .trimEnd();
}

function foundLines(path: string, text: string): string[] {
  if (statSync(join(root, path)).isDirectory()) {
    const names = readdirSync(join(root, path)).sort();
    return names.flatMap((name) => foundLines(`${path}/${name}`, text));
  }
  const lines = readFileSync(join(root, path), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    line.includes(text) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
  );
}

function git(...words: string[]) {
  return spawnSync("git", ["-C", root, ...words], { encoding: "utf8" });
}
