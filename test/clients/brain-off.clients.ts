import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeBrain, isBrain, serveBrain, setConfig } from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import { killProcesses } from "./processes.ts";
import type { Stage } from "./stage.ts";

const prompt = "How do I release the billing service?";

/** What the model is told, line by line, but for what differs each time. */
async function run(stage: Stage, client: ClientName): Promise<string[]> {
  const model = await stage.model(client, () => ({ say: "By the pipeline." }));
  stage.checkEndedWell(await stage[client](prompt));
  assert.equal(model.turns().length, 1);
  const context = model.turns()[0]?.context ?? "";
  return context.replace(uuid, "UUID").split("\n");
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

await describeBrain("Where there is no brain", (play) => {
  for (const client of clientNames) {
    play(`${client}: is told nothing where it is switched off`, async ({ stage, node }) => {
      stage.node = node;
      await stage.install();
      setConfig(stage, { brain: false });
      const told = await run(stage, client);
      assert.deepEqual(
        told.filter((line) => /\[brain |^Consulta: /.test(line)),
        [],
      );
      assert(!existsSync(join(stage.project, ".consulta/brain")));
      assert(!stage.processes().some(isBrain));
    });

    play(`${client}: is kept for seconds by a brain that hangs`, async ({ stage, node }) => {
      await stage.install();
      await serveBrain(stage, node);
      const [running] = stage.processes().filter(isBrain);
      assert(running !== undefined);
      process.kill(running.pid, "SIGSTOP");
      const model = await stage.model(client, () => ({ say: "By the pipeline." }));
      const ran = await stage[client](prompt);
      killProcesses([running]);
      stage.checkEndedWell(ran);
      assert.equal(model.turns().length, 1);
      assert(ran.elapsedMs < 30_000, `it took ${ran.elapsedMs} ms`);
    });
  }
});
