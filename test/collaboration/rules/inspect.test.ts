import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import type { JsonObject } from "../../../scripts-src/base/json.ts";
import { filesWanted } from "../../../scripts-src/collaboration/rules/files.ts";
import { inspect } from "../../../scripts-src/collaboration/rules/inspect.ts";
import { evolve } from "../../../scripts-src/collaboration/rules/machine.ts";
import { protocolFile } from "../../../scripts-src/collaboration/rules/protocol-file.ts";
import { parseSettings } from "../../../scripts-src/collaboration/rules/settings.ts";
import { initialState } from "../../../scripts-src/collaboration/rules/state.ts";
import type { LogEvent } from "../../../scripts-src/log/event.ts";
import type { FileFact } from "../../../scripts-src/protocol/protocol.ts";
import { completed } from "../guided-folder.ts";
import { deliverable, factOf } from "../written-documents.ts";

/** How a complete folder is spoilt, and what is told of it then: the keys of inspect.yaml. */
interface Spoilt {
  case: string;
  schema?: 1 | 2;
  protocol?: JsonObject;
  without?: string[];
  deliverables?: JsonObject;
  texts?: Record<string, string>;
  append?: Record<string, string>;
  gone?: string[];
  edits?: [path: string, from: string, to: string][];
  facts?: Record<string, string>;
  upTo?: string;
  again?: string;
  hash?: string;
  refreeze?: boolean;
  supporting?: { type?: string; frozen?: boolean; text?: string };
  errors?: string[];
  warnings?: string[];
}

const gates = ["Gate one", "Gate (two).* [x]"];
const documents = ["proposal.md", "review.md", "decisions.md", "readiness.md", "conclusion.md"];
const models = {
  1: completed(1, ["ana", "ben"], gates),
  2: completed(2, ["ana", "ben"], gates),
};

function casesOf(schema: 1 | 2): Spoilt[] {
  const seqs: Record<string, number> = {
    REVIEW: schema + 2,
    FIRST: schema + 5,
    SECOND: schema + 6,
  };
  const text = readFileSync(new URL("inspect.yaml", import.meta.url), "utf8");
  const own = text.replace(/REVIEW|FIRST|SECOND/g, (word) => String(seqs[word]));
  const all: Spoilt[] = parse(own);
  return all.filter((it) => it.schema === undefined || it.schema === schema);
}

/** What is told of a folder, unkept rules aside, which the original does not look at. */
function inspected(schema: 1 | 2, spoilt: Omit<Spoilt, "case">) {
  const { raw } = models[schema].state.settings;
  const { deliverables: declared } = raw;
  const own = { ...Object(declared), ...spoilt.deliverables };
  const events = models[schema].events.map((event) => ({ ...event }));
  const texts = new Map([...models[schema].documents, ["events.jsonl", ""]]);
  if (spoilt.supporting !== undefined) addSupporting(own, events, texts, spoilt.supporting);
  if (spoilt.upTo !== undefined) {
    events.length = events.findLastIndex(({ event }) => event === spoilt.upTo) + 1;
  }
  const again = events.find(({ event }) => event === spoilt.again);
  if (again !== undefined) events.push({ ...again, seq: events.length + 1, reply_to: 1 });
  spoilTexts(texts, spoilt);
  const { sha256 = "" } = factOf(texts.get(deliverable) ?? "");
  const hash = spoilt.refreeze === true ? sha256 : spoilt.hash;
  const freeze = events.find(({ event }) => event === "deliverable_frozen");
  if (hash !== undefined) Object.assign(freeze ?? {}, { sha256: hash });
  if (spoilt.hash !== undefined) events.length = freeze?.seq ?? 0;

  const keys = { ...raw, ...(declared === undefined ? {} : { deliverables: own }) };
  const told = JSON.parse(protocolFile(stateAfter(keys, events)));
  const protocol: JsonObject = { ...told, ...spoilt.protocol };
  for (const key of spoilt.without ?? []) delete protocol[key];
  const facts = new Map<string, FileFact>([...texts].map(([path, text]) => [path, factOf(text)]));
  if (spoilt.texts?.["protocol.json"] === undefined) {
    facts.set("protocol.json", factOf(JSON.stringify(protocol)));
  }
  for (const [path, fault] of Object.entries(spoilt.facts ?? {})) {
    const { sha256: known = "" } = facts.get(path) ?? {};
    facts.set(path, { bytes: 1, fault, sha256: known });
  }
  const { unkept: _, ...ofOriginals } = inspect(stateAfter(protocol, events), events, facts);
  return ofOriginals;
}

function stateAfter(protocol: JsonObject, events: readonly LogEvent[]) {
  return events.reduce(evolve, initialState(parseSettings(JSON.stringify(protocol))));
}

function addSupporting(
  deliverables: JsonObject,
  events: LogEvent[],
  texts: Map<string, string>,
  { text = "Status: Frozen\n## Q\nyes\n", ...change }: NonNullable<Spoilt["supporting"]>,
): void {
  const entry = { type: "custom", file: "s.md", checklist: ["Q"], frozen: true, ...change };
  Object.assign(deliverables, { supporting: [entry], attachments: [{ file: "a.png" }] });
  const doc = "deliverables/s.md";
  texts.set(doc, text).set("deliverables/a.png", "");
  const { sha256 = "" } = factOf(text);
  const fields = { role: "supporting", doc, sha256, reply_to: 1, summary: "s" };
  const at = events.at(-1)?.at ?? "";
  events.push({ seq: 12, from: "ben", event: "deliverable_frozen", at, ...fields });
}

function spoilTexts(texts: Map<string, string>, spoilt: Omit<Spoilt, "case">): void {
  for (const [path, text] of Object.entries(spoilt.texts ?? {})) texts.set(path, text);
  for (const [path, more] of Object.entries(spoilt.append ?? {})) {
    texts.set(path, `${texts.get(path)}${more}`);
  }
  for (const [path, from, to] of spoilt.edits ?? []) {
    const text = texts.get(path) ?? "";
    assert(text.includes(from), `${path} has no ${from}`);
    texts.set(path, text.replace(from, to));
  }
  for (const path of spoilt.gone ?? []) texts.delete(path);
}

for (const schema of [1, 2] as const) {
  describe(`the validator, of schema ${schema},`, () => {
    for (const { errors = [], warnings = [], ...spoilt } of casesOf(schema)) {
      it(`${errors.length === 0 ? "lets pass" : "faults"} ${spoilt.case}`, () => {
        assert.deepEqual(inspected(schema, spoilt), { errors, warnings });
      });
    }

    it("takes documents that are missing for empty ones", () => {
      const texts = Object.fromEntries(documents.map((path) => [path, ""]));
      assert.deepEqual(inspected(schema, { gone: documents }).errors, [
        ...documents.map((path) => `missing ${path}`),
        ...inspected(schema, { texts }).errors,
      ]);
    });

    it("tells of documents that are not text nothing else", () => {
      const fault = "is not UTF-8 text: save it as UTF-8";
      const facts = Object.fromEntries(documents.map((path) => [path, fault]));
      const told = documents.map((path) => `${path} ${fault}`);
      assert.deepEqual(inspected(schema, { facts }).errors, told);
    });

    it("goes no further than the files when protocol.json is none", () => {
      const texts = { "protocol.json": '{"a":1,"a":2}', "state.log": "" };
      const [first = "", ...errors] = inspected(schema, { texts, gone: ["review.md"] }).errors;
      assert.match(first, /^invalid protocol\.json: it has the key "a" twice/);
      const obsolete = "remove it and use events.jsonl/readiness.md instead";
      const log = `state.log is not part of the protocol; ${obsolete}`;
      assert.deepEqual(errors, ["missing review.md", log]);
      const facts = { "protocol.json": "is larger than 1 MiB" };
      const large = ["invalid protocol.json: it is larger than 1 MiB"];
      assert.deepEqual(inspected(schema, { facts }).errors, large);
    });

    it("asks for every file that it looks at", () => {
      const others = ["state.log", "discussion.md", "opinions.md"];
      const texts = ["protocol.json", ...documents, ...others].map((path) => [path, "text"]);
      const hashed = schema === 1 ? [] : ["text", "sha256"].map((as) => [deliverable, as]);
      const wanted = filesWanted(models[schema].state, { for: "inspection" });
      assert.deepEqual(
        wanted.map(({ path, as }) => [path, as]),
        [...texts, ["events.jsonl", "file"], ...hashed],
      );
    });
  });
}

describe("settings that nobody can work with", () => {
  const faults: [protocol: JsonObject, error: RegExp][] = [
    [
      { participants: ["ana", 5] },
      /^invalid protocol\.json: participants\[1\] is 5, expected a name/,
    ],
    [{ participants: [] }, /^protocol\.json participants must not be empty$/],
    ...[1, 3, null].map((schemaVersion): [JsonObject, RegExp] => [
      { schemaVersion },
      /^protocol\.json schemaVersion must be 2$/,
    ]),
  ];
  for (const [protocol, error] of faults) {
    it(`are told once: ${JSON.stringify(protocol)}`, () => {
      const told = inspected(2, { protocol }).errors.filter((it) => error.test(it));
      assert.equal(told.length, 1);
      const key = Object.keys(protocol).join();
      const about = inspected(2, { protocol }).errors.filter((it) => it.includes(key));
      assert.deepEqual(about, told);
    });
  }
});

describe("decisions.md of schema 2", () => {
  const good = (id: string) =>
    `### ${id}. Title\n- Decision: x\n- Reflected in: ${deliverable}#decision\n`;
  const headings = "accepted decision headings must use D<number>";
  const sequential = "accepted decision ids must be sequential";
  const needs = (what: string) => `accepted decision D1 requires ${what}`;
  const points = "accepted decision D1 Reflected in must point to declared deliverable";

  const cases: [name: string, text: string, ...errors: string[]][] = [
    ["nothing", ""],
    ["three in order", good("D1") + good("D2") + good("D3")],
    ["CRLF", good("D1").replaceAll("\n", "\r\n")],
    ["headings of other levels", "## D5. a\n#### D6. b\n"],
    ["an indented list", good("D1").replaceAll("- ", "  - ")],
    ["a first number that is not 1", good("D2"), sequential],
    ["a gap", good("D1") + good("D3"), sequential],
    ["a zero before the number", good("D01"), sequential],
    ["a number twice", good("D1") + good("D1"), "duplicate accepted decision id D1", sequential],
    ["no number", good("Title"), headings],
    ["no dot", good("D1").replace(".", ""), headings],
    ["no title", good("D1").replace(" Title", ""), headings],
    ["a small d", good("d1"), headings],
    ["no lines", "### D1. Title\ntext", needs("Decision"), needs("Reflected in")],
    ["lines of the next", `### D1. A\n- Decision: x\n${good("D2")}`, needs("Reflected in")],
    ["another bullet", good("D1").replaceAll("- ", "* "), needs("Decision"), needs("Reflected in")],
    ["a file that nobody declared", good("D1").replace(deliverable, "other.md"), points],
    ["the file without its folder", good("D1").replace("deliverables/", ""), points],
    ["the other mode's name", good("D1").replace("deliverables/", "external:"), points],
  ];
  for (const [name, text, ...errors] of cases) {
    it(`is judged with ${name}`, () => {
      assert.deepEqual(inspected(2, { texts: { "decisions.md": text } }).errors, errors);
    });
  }
});

describe("external deliverables", () => {
  it("are looked for above the folder and named with external:", () => {
    const { raw } = models[2].state.settings;
    const deliverables = { ...Object(raw["deliverables"]), mode: "external", dir: "docs" };
    const state = stateAfter({ ...raw, repoRoot: "../..", deliverables }, []);
    assert.deepEqual(filesWanted(state, { for: "inspection" }).slice(-2), [
      { path: "docs/adr.md", foldersUp: 2, as: "text" },
      { path: "docs/adr.md", foldersUp: 2, as: "sha256" },
    ]);
    const external = { deliverables: { mode: "external" }, protocol: { repoRoot: ".." } };
    const gone = { upTo: "initialized", texts: { "review.md": "" }, gone: [deliverable] };
    const decisions = { "decisions.md": "", ...gone.texts };
    const { errors } = inspected(2, { ...gone, texts: decisions, ...external });
    assert.deepEqual(errors, ["primary deliverable missing: external:adr.md"]);
  });
});

describe("whatever the files hold", () => {
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom("adr", "a.md", "external", "..", "", null));
  const entry = fc.dictionary(fc.constantFrom("type", "file", "frozen", "checklist"), odd);
  const deliverables = fc.record(
    { mode: odd, dir: odd, primary: entry, supporting: fc.array(entry), attachments: odd },
    { requiredKeys: [] },
  );
  const change = fc.record(
    {
      ...{ schemaVersion: odd, participants: odd, completionGates: fc.array(odd), repoRoot: odd },
      ...{ currentPhase: odd, waitingFor: odd, deliverables: fc.oneof(odd, deliverables) },
    },
    { requiredKeys: [] },
  );
  const marks = ["## x - y - seq 1", "- [x]", "### D1. a", "-", "##", "Status:", "\r"];
  const line = fc.oneof(fc.constantFrom(...marks), fc.string());
  const text = fc.array(line).map((lines) => lines.join("\n"));

  it("the inspection answers in lines of text", () => {
    const paths = fc.constantFrom(...documents, deliverable);
    fc.assert(
      fc.property(
        change,
        fc.dictionary(paths, text),
        fc.array(paths),
        fc.constantFrom(1 as const, 2 as const),
        (protocol, texts, gone, schema) => {
          const spoilt = { protocol: protocol as JsonObject, texts, gone };
          const { errors, warnings } = inspected(schema, spoilt);
          assert([...errors, ...warnings].every((error) => /^[^\n\r]+$/.test(error)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
