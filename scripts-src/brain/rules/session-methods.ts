import { brainLimits } from "./limits.ts";
import { method, session, source, text, tokenUsage, yes } from "./method-schemas.ts";

const cli = {
  type: "string",
  minLength: 1,
  maxLength: brainLimits.memorySourceCharacters,
  description: "which CLI it is, such as claude or gemini",
} as const;

const told = { type: "string", maxLength: brainLimits.contextTextCharacters } as const;

/** What a hook knows of a session; kept as its snapshot, newest fields over older ones. */
const context = {
  type: "object",
  properties: {
    summary: { ...told, description: "the CLI's own summary at a compaction" },
    prompt: { ...told, description: "what the user said last" },
    answer: { ...told, description: "what the model said last" },
    open_work: { ...told, description: "what is not done yet" },
    tasks: {
      type: "array",
      description: "tasks that changed, by the ids of the session; what is open becomes open_work",
      items: {
        type: "object",
        properties: {
          id: { type: "string", maxLength: 64 },
          subject: { type: "string", maxLength: brainLimits.contextTextCharacters },
          status: { type: "string", maxLength: 32, description: "pending, in_progress, or done" },
        },
        required: ["id"],
        additionalProperties: true,
      },
    },
  },
  required: [],
  additionalProperties: true,
} as const;

export const sessionMethods = [
  method({
    name: "state.update",
    summary: "Inform the brain of a session's current state.",
    description:
      "Alerts and, once, the snapshot of the session before it are sent " +
      "on this connection. Without session the connection is the session.",
    paramStructure: "by-name",
    params: [
      { name: "token_usage", required: false, schema: tokenUsage },
      { name: "session", required: false, schema: session },
      { name: "cli", required: false, schema: cli },
      {
        name: "seq",
        required: false,
        schema: { type: "integer", minimum: 0, description: "a lower one than before is dropped" },
      },
      { name: "context", required: false, schema: context },
    ],
    "x-direction": "to-brain",
    "x-origin": "seed",
    "x-more-params": true,
  }),
  method({
    name: "session.sync",
    summary: "Tell what happened in a session and get whatever belongs into its context now.",
    description:
      "All that is pushed for this call is sent before its answer. With deliverable it counts as " +
      "given once the answer is written, or with confirm once session.delivered names the receipt.",
    paramStructure: "by-name",
    params: [
      { name: "session", required: true, schema: session },
      { name: "cli", required: true, schema: cli },
      {
        name: "event",
        required: true,
        schema: { type: "string", enum: ["start", "prompt", "tool", "save", "end"] },
      },
      {
        name: "source",
        required: false,
        schema: {
          type: "string",
          maxLength: 64,
          description: "of a start: startup, resume, clear, compact, fork; of an end: clear",
        },
      },
      {
        name: "prompt",
        required: false,
        schema: { type: "string", maxLength: brainLimits.contextTextCharacters },
      },
      { name: "context", required: false, schema: context },
      { name: "token_usage", required: false, schema: tokenUsage },
      {
        name: "deliverable",
        required: false,
        schema: { ...yes, description: "what is pushed now reaches the model" },
      },
      { name: "confirm", required: false, schema: yes },
    ],
    result: {
      name: "synced",
      schema: {
        type: "object",
        properties: {
          ok: yes,
          pushed: { type: "integer", minimum: 0 },
          receipt: { ...text, description: "for session.delivered; only with confirm" },
        },
        required: ["ok", "pushed"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["SESSION_TAKEN", "STORE"],
  }),
  method({
    name: "session.delivered",
    summary: "Confirm that what a sync or a wait pushed has reached the model.",
    paramStructure: "by-name",
    params: [{ name: "receipt", required: true, schema: { type: "string", maxLength: 64 } }],
    result: {
      name: "counted",
      schema: {
        type: "object",
        properties: { counted: yes },
        required: ["counted"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "session.wait",
    summary:
      "Be answered when there is news for a session: an event or a suggestion is pushed first.",
    description:
      "The newest wait of a session counts; an older one is answered with pushed: 0, as is the " +
      "oldest of more than 24. With confirm the news count as given once session.delivered names " +
      "the receipt.",
    paramStructure: "by-name",
    params: [
      { name: "session", required: true, schema: session },
      { name: "confirm", required: false, schema: yes },
      {
        name: "timeout_seconds",
        required: false,
        schema: { type: "number", minimum: 0, maximum: 86_400 },
      },
    ],
    result: {
      name: "woken",
      schema: {
        type: "object",
        properties: { ok: yes, pushed: { type: "integer", minimum: 0 }, receipt: text },
        required: ["ok", "pushed"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "event.publish",
    summary:
      "Publish an external event, or suggest an action, for a session or whichever comes first.",
    paramStructure: "by-name",
    params: [
      {
        name: "text",
        required: true,
        schema: { type: "string", minLength: 1, "x-maxBytes": brainLimits.eventBytes },
      },
      { name: "source", required: false, schema: source },
      { name: "kind", required: false, schema: { type: "string", enum: ["event", "suggestion"] } },
      { name: "session", required: false, schema: session },
    ],
    result: {
      name: "queued",
      schema: {
        type: "object",
        properties: {
          queued: yes,
          id: { type: "integer" },
          left_out: { type: "string", description: "What credential was left out of the text." },
        },
        required: ["queued", "id"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
] as const;
