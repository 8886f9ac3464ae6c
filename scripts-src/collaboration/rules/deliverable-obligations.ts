import { inline } from "../../base/json.ts";
import type { FileFact, Files } from "../../protocol/protocol.ts";
import { sectionGaps } from "./deliverable-sections.ts";
import type { Deliverable } from "./deliverables.ts";
import { statusOf } from "./deliverables.ts";
import type { Settings } from "./settings.ts";
import type { CollaborationState } from "./state.ts";

/** What the primary deliverable needs before its draft is announced. */
export function draftOwed({ deliverables }: Settings, files: Files): string[] {
  if (deliverables === null) return [];
  return inPrimary(deliverables.primary, files, (text) => [
    ...(statusOf(text) === "" ? ['needs a line "Status: Draft" below its title'] : []),
    ...missingSections(deliverables.primary, text),
  ]);
}

/** What it needs before it is frozen: nothing can be mended in it afterwards. */
export function freezeOwed({ deliverables }: Settings, files: Files): string[] {
  if (deliverables === null) return [];
  const { primary } = deliverables;
  return inPrimary(primary, files, (text) => {
    const status = statusOf(text);
    return [
      ...missingSections(primary, text),
      ...sectionGaps(primary, text)
        .filter(({ gap }) => gap === "empty")
        .map(({ section }) => `the section ${inline(`## ${section}`)} is empty; write it`),
      ...(status === "Frozen"
        ? []
        : [`its line "Status: ${status}" must become "Status: Frozen" when all else is written`]),
    ];
  });
}

/** Whether the frozen file is still what it was. */
export function frozenOwed({ settings, frozen }: CollaborationState, files: Files): string[] {
  const { deliverables } = settings;
  if (deliverables === null || frozen === null) return [];
  const { path } = deliverables.primary;
  if (files.get(path)?.sha256 === frozen.sha256) return [];
  const was = `seq ${frozen.seq} froze it as SHA-256 ${frozen.sha256}`;
  return [`${path}: is not what was frozen; restore it: ${was}`];
}

function inPrimary(
  { path }: Deliverable,
  files: Files,
  owed: (text: string) => string[],
): string[] {
  const fact: FileFact | undefined = files.get(path);
  if (fact === undefined) return [`${path}: is missing; write it`];
  if (fact.text === undefined) return [`${path}: ${fact.fault ?? "cannot be read"}`];
  return owed(fact.text).map((line) => `${path}: ${line}`);
}

function missingSections(deliverable: Deliverable, text: string): string[] {
  return sectionGaps(deliverable, text)
    .filter(({ gap }) => gap === "missing")
    .map(({ section }) => `the section ${inline(`## ${section}`)} is missing`);
}
