import { brainLimits } from "./limits.ts";
import { count, method, text } from "./method-schemas.ts";

const delegateErrors = [
  "SECRET",
  "NO_DELEGATE",
  "DELEGATE_FAILED",
  "TIMEOUT",
  "BUSY",
  "TOO_LARGE",
] as const;

export const delegateMethods = [
  method({
    name: "research.search",
    summary: "Perform a web search: the delegate searches and sums up.",
    paramStructure: "by-name",
    params: [
      {
        name: "query",
        required: true,
        schema: { type: "string", minLength: 1, maxLength: brainLimits.queryCharacters },
      },
    ],
    result: {
      name: "answer",
      schema: {
        type: "object",
        properties: { query: text, text, provider: text },
        required: ["query", "text", "provider"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "seed",
    "x-errors": delegateErrors,
  }),
  method({
    name: "data.process",
    summary: "Process a large amount of data: the delegate reads and digests it.",
    description:
      "What is above one call of the delegate is digested in parts, and the parts together; " +
      "chunks says how many there were.",
    paramStructure: "by-name",
    params: [
      { name: "data", required: true, schema: { type: "string", minLength: 1 } },
      {
        name: "instruction",
        required: false,
        schema: { type: "string", minLength: 1, maxLength: brainLimits.queryCharacters },
      },
    ],
    result: {
      name: "answer",
      schema: {
        type: "object",
        properties: { text, provider: text, input_bytes: count, chunks: count },
        required: ["text", "provider", "input_bytes", "chunks"],
        additionalProperties: false,
      },
    },
    "x-direction": "to-brain",
    "x-origin": "seed",
    "x-errors": delegateErrors,
  }),
] as const;
