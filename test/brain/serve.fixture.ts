/** A brain over a store in memory: serve.fixture.ts ROOT IDLE_MS [DELEGATE...]. Prints its port when it listens. */
import { dirname } from "node:path";
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { defaultThresholds } from "../../scripts-src/brain/rules/alerts.ts";
import { serveBrain } from "../../scripts-src/brain/server/serve-brain.ts";
import { InMemoryStore } from "./in-memory-store.ts";

const [root = "", idleMs = "", ...delegate] = process.argv.slice(2);
const controller = new AbortController();
process.once("SIGTERM", () => controller.abort());

/** Refuses what is stored under `full`, as a full disk would. */
class FullStore extends InMemoryStore {
  override store(...[draft, at]: Parameters<InMemoryStore["store"]>) {
    if (draft.key === "full") throw new ConsultaError("UNAVAILABLE", "the disk is full");
    return super.store(draft, at);
  }
}

const reason = await serveBrain(
  {
    root,
    project: dirname(root),
    settings: async () => ({
      delegate,
      delegateTimeoutMs: 60_000,
      chunkBytes: 1_000,
      thresholds: defaultThresholds,
    }),
    environment: process.env,
    idleMs: Number(idleMs),
    now: () => new Date().toISOString(),
    openStore: async () => new FullStore(),
    ready: ({ port }) => process.stdout.write(`${port}\n`),
  },
  controller.signal,
);
process.stdout.write(`ended: ${reason}\n`);
