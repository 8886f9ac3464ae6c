import assert from "node:assert/strict";
import { it } from "node:test";
import { loadSqlite } from "../../../scripts-src/brain/store/sqlite.ts";
import { hasCode } from "../../log/check-event-log.ts";
import { canRunBrain } from "../brain-node.ts";

it("tells a Node without SQLite's full-text search which Node it needs", async () => {
  if (await canRunBrain(process.execPath)) {
    assert((await loadSqlite()).DatabaseSync);
    return;
  }
  const reason = /^the brain needs Node 22\.16 or later, this is v[\d.]+$/;
  await assert.rejects(loadSqlite(), hasCode("UNAVAILABLE", reason));
});
