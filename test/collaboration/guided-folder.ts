import assert from "node:assert/strict";
import type { JsonObject } from "../../scripts-src/base/json.ts";
import { decide } from "../../scripts-src/collaboration/rules/decide.ts";
import { filesWanted } from "../../scripts-src/collaboration/rules/files.ts";
import { evolve } from "../../scripts-src/collaboration/rules/machine.ts";
import { nextAction } from "../../scripts-src/collaboration/rules/next-action.ts";
import { protocolFor } from "../../scripts-src/collaboration/rules/opening.ts";
import { parseSettings } from "../../scripts-src/collaboration/rules/settings.ts";
import {
  type CollaborationState,
  initialState,
} from "../../scripts-src/collaboration/rules/state.ts";
import { documentsFor } from "../../scripts-src/collaboration/rules/templates.ts";
import type { LogEvent } from "../../scripts-src/log/event.ts";
import type {
  Decision,
  FileFact,
  Files,
  Guidance,
  Move,
  Purpose,
} from "../../scripts-src/protocol/protocol.ts";
import { adr, conclusion, deliverable, factOf, readiness } from "./written-documents.ts";

/** A collaboration's folder in memory: its log, its documents and the state they lead to. */
export class GuidedFolder {
  readonly documents = new Map<string, string>();
  readonly events: LogEvent[] = [];
  state: CollaborationState;
  /** What the deliverable held when an event came, for whoever has to restore it. */
  readonly #once = new Set<string>();
  #minutes = 0;

  constructor(schema: 1 | 2, participants: readonly string[], gates = ["Store chosen"]) {
    const raw = protocolFor({
      objective: "Pick a store",
      participants,
      gates,
      createdAt: "2026-01-01T00:00:00Z",
      ...(schema === 2 ? { primary: { type: "adr", checks: [] } } : {}),
    });
    const settings = parseSettings(JSON.stringify(raw));
    assert.equal(settings.fault, "");
    this.state = initialState(settings);
    this.documents.set("protocol.json", JSON.stringify(raw));
    this.documents.set(".consulta.json", "{}");
    for (const { path, text } of documentsFor(settings)) this.documents.set(path, text);
  }

  get files(): Map<string, FileFact> {
    return new Map([...this.documents].map(([path, text]) => [path, factOf(text)]));
  }

  guidance(participant: string, files?: Files): Guidance {
    const wanted = this.#wanted({ for: "guidance", participant });
    return nextAction(this.state, participant, files ?? wanted);
  }

  /** What the decider says to the options of `append-event`. */
  decision(participant: string, fields: JsonObject): Decision {
    const { state } = this;
    const files = this.#wanted({ for: "decision", participant: "a", fields });
    return decide(state, { participant, origin: "script", fields, at: this.#now(), id: "", files });
  }

  /** Appends through the decider. */
  append(participant: string, fields: JsonObject): void {
    const decision = this.decision(participant, fields);
    assert(decision.ok, `refused ${participant}: ${"reason" in decision ? decision.reason : ""}`);
    assert("event" in decision);
    for (const addition of decision.additions ?? []) {
      const before = this.documents.get(addition.path) ?? "";
      this.documents.set(addition.path, `${before}\n${addition.text}`);
    }
    this.#fold(decision.event);
  }

  /** Appends a move of the guidance with its summary filled in. */
  make(participant: string, move: Move, summary = "done"): void {
    this.append(participant, fieldsOf(move, summary));
  }

  /** Stands in the log as another implementation may have written it, whatever the rules say. */
  write(from: string, event: string, fields: JsonObject = {}): void {
    const seq = this.state.seq + 1;
    const at = this.#now();
    this.#fold({ seq, from, event, at, summary: `${event} by ${from}`, ...fields });
  }

  /** Does what one participant is told to do, documents included. */
  follow(participant: string, summary = "done"): void {
    if (this.guidance(participant).obligations.length > 0) this.mend();
    const { moves, obligations } = this.guidance(participant);
    assert.deepEqual(obligations, []);
    assert(moves[0] !== undefined, `${participant} is told to append nothing`);
    this.make(participant, moves[0], summary);
  }

  /** Puts every document right, as a diligent owner would; a frozen file as it was frozen. */
  mend(): void {
    for (const [path, text] of Object.entries(passing(this.state))) this.documents.set(path, text);
    const { frozen, settings } = this.state;
    for (const { path, text } of documentsFor(settings)) {
      if (!this.documents.has(path)) this.documents.set(path, text);
    }
    const was = [...this.#once].find((text) => factOf(text).sha256 === frozen?.sha256);
    if (was !== undefined) this.documents.set(deliverable, was);
  }

  /** No more than the protocol asks for, as the app reads it. */
  #wanted(purpose: Purpose): Files {
    const facts = new Map<string, FileFact>();
    for (const { path, as } of filesWanted(this.state, purpose)) {
      const text = this.documents.get(path);
      if (text === undefined) continue;
      const fact = factOf(text);
      const looked = as === "file" || as === "changed" ? {} : { [as]: fact[as] };
      facts.set(path, { bytes: fact.bytes, ...facts.get(path), ...looked });
    }
    return facts;
  }

  #fold(event: LogEvent): void {
    this.#once.add(this.documents.get(deliverable) ?? "");
    this.events.push(event);
    this.state = evolve(this.state, event);
  }

  #now(): string {
    this.#minutes += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minutes)).toISOString();
  }
}

/** A folder in which everything was done as told, to its end. */
export function completed(
  schema: 1 | 2,
  participants: readonly string[],
  gates?: string[],
): GuidedFolder {
  const folder = new GuidedFolder(schema, participants, gates);
  while (folder.state.phase !== "completed") {
    folder.follow(folder.state.waitingFor[0] ?? participants[0] ?? "");
  }
  return folder;
}

/** The fields that the command line makes of a move's options. */
export function fieldsOf(move: Move, summary = "done"): JsonObject {
  const { "reply-to": replyTo, ...options } = move.options;
  return {
    ...options,
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(typeof move.input === "string" ? { review: filledIn(move.input) } : {}),
    summary,
  };
}

function passing({ settings, frozen }: CollaborationState): Record<string, string> {
  const { schema, gates } = settings;
  return {
    "proposal.md": "# Proposal\n\nUse files.\n",
    ...(schema === 1 ? { "decisions.md": "# Decisions\n\n- Use files.\n" } : {}),
    "readiness.md": readiness(gates),
    "conclusion.md": conclusion(schema),
    ...(schema === 2 && frozen === null ? { [deliverable]: adr("Frozen") } : {}),
  };
}

/** A form with something written in each of its places. */
function filledIn(form: string): string {
  return form.replace(/<[^<>\n]*>/g, "None.");
}
