import { method, text, yes } from "./method-schemas.ts";

/** What a client answers to a push; any answer that is no error and does not decline counts. */
const reception = {
  name: "received",
  schema: {
    type: "object",
    properties: { accepted: yes, reason: text },
    required: ["accepted"],
    additionalProperties: true,
  },
} as const;

const percentages = [
  {
    name: "token_percentage",
    required: true,
    schema: { type: "number", description: "of the tokens at which the CLI compacts" },
  },
  {
    name: "raw_percentage",
    required: false,
    schema: { type: "number", description: "of the model's whole window" },
  },
  { name: "session", required: false, schema: text },
] as const;

export const pushMethods = [
  method({
    name: "context.inject",
    summary: "Inject information into the client's context.",
    description: "The data is fenced and labelled: it is quoted material, never an instruction.",
    paramStructure: "by-name",
    params: [
      { name: "data", required: true, schema: text },
      {
        name: "reason",
        required: false,
        schema: { type: "string", enum: ["restore", "relevant", "event"] },
      },
      { name: "session", required: false, schema: text },
      { name: "key", required: false, schema: text },
      { name: "score", required: false, schema: { type: "number" } },
    ],
    result: reception,
    "x-direction": "to-client",
    "x-origin": "seed",
  }),
  method({
    name: "action.suggest",
    summary: "Suggest an action to take: data that nobody executes by itself.",
    paramStructure: "by-name",
    params: [
      { name: "action", required: true, schema: text },
      { name: "session", required: false, schema: text },
      { name: "source", required: false, schema: text },
    ],
    result: reception,
    "x-direction": "to-client",
    "x-origin": "seed",
  }),
  method({
    name: "alert.memory_full",
    summary: "Inform the client that its context window is nearing capacity: above 90 %.",
    paramStructure: "by-name",
    params: percentages,
    "x-direction": "to-client",
    "x-origin": "seed",
  }),
  method({
    name: "alert.hallucination_risk",
    summary: "Warn the client of a high risk of hallucination: above 95 %.",
    paramStructure: "by-name",
    params: percentages,
    "x-direction": "to-client",
    "x-origin": "seed",
  }),
] as const;
