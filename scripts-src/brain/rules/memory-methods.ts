import { limits } from "../../base/limits.ts";
import { brainLimits } from "./limits.ts";
import { count, key, memory, method, session, source, text, time, yes } from "./method-schemas.ts";

export const memoryMethods = [
  method({
    name: "memory.store",
    summary: "Store information in the persistent memory.",
    description:
      "Answered when it is durable. The last write wins, unless if_version is given. The session " +
      "that stores it knows it and is not given it back.",
    paramStructure: "by-name",
    params: [
      { name: "key", required: true, schema: key },
      {
        name: "value",
        required: true,
        schema: { "x-maxBytes": brainLimits.memoryValueBytes, description: "any JSON value" },
      },
      {
        name: "tags",
        required: false,
        schema: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: brainLimits.memoryTagCharacters },
          maxItems: brainLimits.memoryTags,
        },
      },
      { name: "source", required: false, schema: source },
      { name: "session", required: false, schema: session },
      {
        name: "link",
        required: false,
        schema: {
          type: "string",
          minLength: 1,
          maxLength: limits.sessionIdCharacters,
          description: "the Consulta session that it comes from",
        },
      },
      {
        name: "if_version",
        required: false,
        schema: { ...count, description: "store only over this version; 0: only a new key" },
      },
      {
        name: "insist",
        required: false,
        schema: { ...yes, description: "store it though it looks like a secret" },
      },
    ],
    result: {
      name: "stored",
      schema: {
        type: "object",
        properties: { stored: yes, key, version: count, created: yes },
        required: ["stored", "key", "version", "created"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "seed",
    "x-errors": ["CONFLICT", "SECRET", "ECHO", "STORE"],
  }),
  method({
    name: "memory.retrieve",
    summary: "Retrieve information from the persistent memory: one key, or what fits a query.",
    description: "Takes key or query, not both. What is not there is found: false and no error.",
    paramStructure: "by-name",
    params: [
      { name: "key", required: false, schema: key },
      {
        name: "query",
        required: false,
        schema: { type: "string", minLength: 1, maxLength: brainLimits.queryCharacters },
      },
      {
        name: "limit",
        required: false,
        schema: { type: "integer", minimum: 1, maximum: brainLimits.matches },
      },
    ],
    result: {
      name: "found",
      schema: {
        type: "object",
        properties: {
          found: yes,
          ...memory.properties,
          matches: { type: "array", items: memory },
        },
        required: ["found"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "seed",
    "x-errors": ["STORE"],
  }),
  method({
    name: "memory.list",
    summary: "List memories in the order of their keys, a page at a time.",
    paramStructure: "by-name",
    params: [
      {
        name: "prefix",
        required: false,
        schema: { type: "string", "x-maxBytes": brainLimits.memoryKeyBytes },
      },
      {
        name: "limit",
        required: false,
        schema: { type: "integer", minimum: 1, maximum: brainLimits.listed },
      },
      { name: "after", required: false, schema: key },
    ],
    result: {
      name: "page",
      schema: {
        type: "object",
        properties: {
          memories: { type: "array", items: memory },
          next: { ...key, description: "give it as after for the next page; absent at the end" },
        },
        required: ["memories"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "memory.delete",
    summary: "Remove one memory; memory.forget removes its last traces as well.",
    paramStructure: "by-name",
    params: [{ name: "key", required: true, schema: key }],
    result: {
      name: "deleted",
      schema: {
        type: "object",
        properties: { deleted: yes },
        required: ["deleted"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "memory.forget",
    summary: "Remove without a trace: memories by their keys, or whatever holds a text.",
    description: "Takes keys or text, not both. Of keys, * stands for any characters, ? for one.",
    paramStructure: "by-name",
    params: [
      {
        name: "keys",
        required: false,
        schema: { type: "string", minLength: 1, maxLength: brainLimits.patternCharacters },
      },
      {
        name: "text",
        required: false,
        schema: { type: "string", minLength: 1, maxLength: brainLimits.patternCharacters },
      },
    ],
    result: {
      name: "forgotten",
      schema: {
        type: "object",
        properties: { memories: count, snapshots: count, events: count },
        required: ["memories", "snapshots", "events"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "memory.export",
    summary: "Give memories as they are, one JSON text each, a part at a time.",
    paramStructure: "by-name",
    params: [{ name: "after", required: false, schema: key }],
    result: {
      name: "part",
      schema: {
        type: "object",
        properties: {
          lines: { type: "array", items: text },
          next: { ...key, description: "give it as after for the next part; absent at the end" },
        },
        required: ["lines"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "memory.import",
    summary: "Take over what memory.export gave; of two states of a key the newer one stays.",
    paramStructure: "by-name",
    params: [
      {
        name: "lines",
        required: true,
        schema: { type: "array", items: text, maxItems: brainLimits.importedLines },
      },
      {
        name: "lines_before",
        required: false,
        schema: { ...count, description: "how many lines the calls before this one brought" },
      },
    ],
    result: {
      name: "imported",
      schema: {
        type: "object",
        properties: { added: count, replaced: count, kept: count },
        required: ["added", "replaced", "kept"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
  method({
    name: "brain.status",
    summary: "Say what the brain holds: sessions with usage and alerts, memories, injections.",
    paramStructure: "by-name",
    params: [],
    result: {
      name: "status",
      schema: {
        type: "object",
        properties: {
          started: time,
          pid: count,
          connections: { ...count, description: "the one that asks is among them" },
          store: {},
          sessions: { type: "array", items: {} },
          snapshots: {
            type: "array",
            items: {
              type: "object",
              properties: {
                session: text,
                cli: text,
                at: time,
                holds: { type: "array", items: text },
              },
              required: ["session", "cli", "at", "holds"],
              additionalProperties: false,
            },
          },
          injections: { type: "array", items: {} },
          delegate: {},
        },
        required: [
          "started",
          "pid",
          "connections",
          "store",
          "sessions",
          "snapshots",
          "injections",
          "delegate",
        ],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "consulta",
    "x-errors": ["STORE"],
  }),
] as const;
