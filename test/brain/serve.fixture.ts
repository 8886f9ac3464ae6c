/** A brain as a process: serve.fixture.ts ROOT IDLE_MS [DELEGATE...]. Prints its port when it listens. */
import { ConsultaError } from "../../scripts-src/base/errors.ts";
import { defaultThresholds } from "../../scripts-src/brain/rules/alerts.ts";
import { serveBrain } from "../../scripts-src/brain/server/serve.ts";
import { openStore } from "../../scripts-src/brain/store/brain-store.ts";

const [root = "", idleMs = "", ...delegate] = process.argv.slice(2);
const controller = new AbortController();
process.once("SIGTERM", () => controller.abort());

/** Refuses what is stored under `full`, as a full disk would. */
async function openFull(folder: string, key: string) {
  const store = await openStore(folder, { key, adopts: false });
  const { memories } = store;
  const storeAsEver = memories.store.bind(memories);
  memories.store = (draft, at) => {
    if (draft.key === "full") throw new ConsultaError("UNAVAILABLE", "the disk is full");
    return storeAsEver(draft, at);
  };
  return store;
}

async function serve(): Promise<void> {
  const reason = await serveBrain(
    {
      root,
      settings: async () => ({
        delegate,
        delegateTimeoutMs: 60_000,
        chunkBytes: 1_000,
        thresholds: defaultThresholds,
      }),
      environment: process.env,
      idleMs: Number(idleMs),
      now: () => new Date().toISOString(),
      openStore: openFull,
      ready: ({ port }) => process.stdout.write(`${port}\n`),
    },
    controller.signal,
  );
  process.stdout.write(`ended: ${reason}\n`);
}

void serve();
