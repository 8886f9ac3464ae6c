import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brain, describeBrain } from "./brain-stage.ts";
import { type ClientName, clientNames } from "./client.ts";
import type { Stage } from "./stage.ts";

const commands = {
  claude: "[claude, -p, --output-format, json]",
  gemini: "[gemini, --output-format, json]",
};

function setDelegate(stage: Stage, client: ClientName): void {
  const path = join(dirname(stage.project), "home/.consulta/config.yaml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `brain:\n  delegate: ${commands[client]}\n`);
}

await describeBrain("A client that the brain asks", (play) => {
  for (const client of clientNames) {
    play(`${client}: searches and digests, and may change nothing`, async ({ stage, node }) => {
      stage.node = node;
      await stage.install();
      setDelegate(stage, client);
      const changed = join(stage.project, "changed");
      const model = await stage.model(client, ({ called }) =>
        called ? { say: "The okapi is a giraffid." } : { run: `touch ${changed}` },
      );
      assert.match(await brain(stage, "search", "What is an okapi?"), /okapi is a giraffid/);
      const file = join(stage.project, "long.txt");
      writeFileSync(file, "The okapi lives in the Congo.\n".repeat(500));
      const words = ["process", file, "--instruction", "Name the animal"];
      assert.match(await brain(stage, ...words), /okapi is a giraffid/);
      const [search, , digest] = model.turns();
      assert.match(search?.since ?? "", /Search the web[\s\S]*What is an okapi\?/);
      assert.match(digest?.since ?? "", /Name the animal[\s\S]*lives in the Congo/);
      assert.equal(model.turns().length, 4);
      assert(!existsSync(changed));
      assert.deepEqual(JSON.parse(await brain(stage, "status", "--json")).sessions, []);
    });
  }
});
