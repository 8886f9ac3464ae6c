import { it } from "node:test";
import { makeBareRepository } from "./git-remote.ts";
import { race } from "./races.ts";

it("writers of two machines lose and double nothing", { timeout: 240_000 }, async (t) => {
  const two = { machines: 2, writers: 4, eventsEach: 5, killAfterMs: 1_000 };
  const { events, kills } = await race({ url: makeBareRepository(), ...two });
  t.diagnostic(`${events} events, ${kills} writers killed`);
});
