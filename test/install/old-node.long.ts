import { join } from "node:path";
import { describe, it } from "node:test";
import { findNode } from "../clients/install-clients.ts";
import { checkOldNode } from "./old-node.ts";

describe("a real Node that is too old", () => {
  for (const version of ["14.21.3", "18.20.8"]) {
    it(`as ${version} is told by every script but the hook, and nothing is done`, async (t) => {
      const node = await findNode(version);
      if ("missing" in node) t.skip(node.missing);
      else checkOldNode(version, join(node.bin, "node"));
    });
  }
});
