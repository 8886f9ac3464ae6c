import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { View } from "../../protocol/protocol.ts";
import { byCodePoint, type CollaborationState } from "./state.ts";

/** `protocol.json` after the newest event: what its readers wait for beside the log. */
export function views(after: CollaborationState): View[] {
  if (after.settings.fault !== "" || after.phase === "new") return [];
  return [{ within: "session", folder: [], name: "protocol.json", text: protocolFile(after) }];
}

/** The text of `protocol.json`, byte for byte as the original writes it. */
export function protocolFile(state: CollaborationState): string {
  const { settings, phase, owner, waitingFor, lastAt } = state;
  const protocol = {
    ...settings.raw,
    currentPhase: phase,
    // Nobody owns a log that begins with `blocked`.
    proposalOwner: owner === "" ? null : owner,
    waitingFor,
    updatedAt: lastAt,
  };
  return protocolText(protocol);
}

/** An object as the original writes `protocol.json`: sorted keys, indented by two, raw Unicode. */
export function protocolText(protocol: JsonObject): string {
  return `${sortedJson(protocol, "")}\n`;
}

/** Keys by code point at every level; JSON.stringify would put those that look like numbers first. */
function sortedJson(value: JsonValue, indent: string): string {
  const inner = `${indent}  `;
  const wrap = (open: string, items: string[], close: string) =>
    items.length === 0
      ? open + close
      : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${indent}${close}`;
  if (Array.isArray(value)) {
    return wrap(
      "[",
      value.map((item) => sortedJson(item, inner)),
      "]",
    );
  }
  if (!isRecord(value)) return JSON.stringify(value);
  const items = byCodePoint(Object.keys(value)).flatMap((key) => {
    const item = value[key];
    return item === undefined ? [] : [`${JSON.stringify(key)}: ${sortedJson(item, inner)}`];
  });
  return wrap("{", items, "}");
}
