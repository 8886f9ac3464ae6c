import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isRecord, type JsonObject } from "../../scripts-src/base/json.ts";
import { inspect } from "../../scripts-src/collaboration/rules/inspect.ts";
import { evolve } from "../../scripts-src/collaboration/rules/machine.ts";
import { checkOpening, type Opening } from "../../scripts-src/collaboration/rules/opening.ts";
import { parseSettings, type Settings } from "../../scripts-src/collaboration/rules/settings.ts";
import { initialState } from "../../scripts-src/collaboration/rules/state.ts";
import { documentsFor } from "../../scripts-src/collaboration/rules/templates.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type { FileFact, Inspection } from "../../scripts-src/protocol/protocol.ts";

export const opening: Opening = {
  objective: "Pick a store",
  participants: ["ana", "ben"],
  gates: ["Gate one", "Gate (two).* [x]"],
  createdAt: "2026-11-22T02:16:37Z",
};

export const adr = { primary: { type: "adr", checks: [] } };
export const adrPath = "deliverables/adr.md";

/** The settings that a collaboration opened like this has. */
export function settingsFor(given: Partial<Opening> = {}): Settings {
  return parseSettings(JSON.stringify(rawFor(given)));
}

export function rawFor(given: Partial<Opening> = {}): JsonObject {
  const opened = checkOpening({ ...opening, ...given });
  assert(opened.ok, opened.ok ? "" : opened.reasons.join("; "));
  return opened.raw;
}

/** A folder that is complete and valid, to be spoilt by a test. */
export interface Folder {
  protocol: JsonObject;
  events: LogEvent[];
  /** Text by path; a path without an entry is a file that is not there. */
  texts: Map<string, string>;
  /** Files that have no text. */
  facts: Map<string, FileFact>;
}

export function complete(given: Partial<Opening> = {}): Folder {
  const settings = settingsFor(given);
  const texts = new Map(documentsFor(settings).map(({ path, text }) => [path, filled(path, text)]));
  texts.set("events.jsonl", "");
  const deliverable = texts.get(adrPath);
  const events = eventsOf(deliverable === undefined ? [] : [adrPath, sha256Of(deliverable)]);
  const review = events.findIndex(({ event }) => event === "review_submitted") + 1;
  const heading = `\n## 2026-11-22T02:20:00Z - ben - seq ${review}\n`;
  texts.set("review.md", `${texts.get("review.md")}${heading}`);
  const derived = { currentPhase: "completed", proposalOwner: "ana", waitingFor: [] };
  return { protocol: { ...rawFor(given), ...derived }, events, texts, facts: new Map() };
}

/** A template the way a participant fills it in. */
export function filled(path: string, text: string): string {
  if (path === "readiness.md") {
    return text
      .replace(/^- \[unresolved\].*$/m, "- [resolved] SQLite")
      .replaceAll("- [ ]", "- [x]");
  }
  if (path === "conclusion.md") {
    return text.replace(/^- \[blocked\].*$/m, "- [proceed] agreed").replace(/<TBD.*>/g, "Done");
  }
  if (!path.startsWith("deliverables/")) return text;
  return text.replace("Status: Draft", "Status: Frozen").replace(/^## .*$/gm, "$&\n\nText.");
}

function eventsOf([doc, sha256]: string[]): LogEvent[] {
  const primary = { role: "primary", ...(doc === undefined ? {} : { doc }) };
  const second = doc !== undefined;
  const steps: [name: string, from: string, fields?: JsonObject][] = [
    ["initialized", "ana", { doc: "protocol.json" }],
    ...(second
      ? [["deliverable_drafted", "ana", primary] satisfies [string, string, JsonObject]]
      : []),
    ["proposal_submitted", "ana"],
    ["review_submitted", "ben"],
    ["proposal_revised", "ana"],
    ["question_classified", "ana"],
    ["decision_accepted", "ana"],
    ["decision_accepted", "ben"],
    ...(second
      ? [
          ["deliverable_frozen", "ana", { ...primary, sha256 }] satisfies [
            string,
            string,
            JsonObject,
          ],
        ]
      : []),
    ["readiness_passed", "ana"],
    ["completed", "ana", { doc: "conclusion.md" }],
  ];
  return steps.map(([event, from, fields = {}], index) => ({
    seq: index + 1,
    from,
    event,
    at: "2026-11-22T02:16:37Z",
    summary: "s",
    ...(index === 0 ? {} : { reply_to: index }),
    ...fields,
  }));
}

export function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** What the original's validator looks at as well. */
export function inspected({ protocol, events, texts, facts }: Folder): Inspection {
  const all = new Map(
    [...texts].map(([path, text]): [string, FileFact] => [
      path,
      { bytes: Buffer.byteLength(text), text, sha256: sha256Of(text) },
    ]),
  );
  const protocolText = JSON.stringify(protocol);
  if (!texts.has("protocol.json")) all.set("protocol.json", { bytes: 0, text: protocolText });
  for (const [path, fact] of facts) all.set(path, fact);
  const state = events.reduce(evolve, initialState(parseSettings(protocolText)));
  const { unkept: _, ...ofOriginals } = inspect(state, events, all);
  return ofOriginals;
}

/** Changes one text of a folder; the change must find what it is to change. */
export function edit(folder: Folder, path: string, from: string | RegExp, to: string): void {
  const text = folder.texts.get(path);
  assert(text !== undefined, `no ${path}`);
  const changed = text.replace(from, to);
  assert.notEqual(changed, text, `${path} has no ${from}`);
  folder.texts.set(path, changed);
}

/** The deliverables of a folder's protocol.json, to be changed in place. */
export function deliverablesOf({ protocol }: Folder): Record<string, unknown> {
  const { deliverables } = protocol;
  assert(isRecord(deliverables));
  return deliverables;
}
