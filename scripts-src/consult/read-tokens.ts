import { isRecord } from "../base/json.ts";

/**
 * How many tokens a CLI says that its turn took, in and out; undefined where it says nothing. The
 * CLIs name them `usage` with `input_tokens` and `output_tokens`, or `stats` of each model.
 */
export function tokensIn(objects: readonly unknown[]): number | undefined {
  const told = objects.flatMap((it) => (isRecord(it) ? tokensOf(it) : []));
  // A CLI that tells it after each step tells the sum at last.
  return told.at(-1);
}

function tokensOf(value: Readonly<Record<string, unknown>>): number[] {
  const { usage, stats } = value;
  if (isRecord(usage)) return sumOf([usage["input_tokens"], usage["output_tokens"]]);
  const models = isRecord(stats) ? stats["models"] : undefined;
  if (!isRecord(models)) return [];
  return sumOf(
    Object.values(models).map((it) => {
      const tokens = isRecord(it) ? it["tokens"] : undefined;
      return isRecord(tokens) ? tokens["total"] : undefined;
    }),
  );
}

/** Nothing where one of them is no count. */
function sumOf(counts: readonly unknown[]): number[] {
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) return [];
    sum += count;
  }
  return counts.length === 0 || !Number.isSafeInteger(sum) ? [] : [sum];
}
