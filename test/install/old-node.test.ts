import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeScratchFolder, removeFolder } from "../scratch-folder.ts";
import { checkOldNode } from "./old-node.ts";

describe("a Node that is too old", () => {
  for (const version of ["18.20.8", "20.10.0"]) {
    it(`as ${version} is told by every script but the hook, and nothing is done`, () => {
      const folder = makeScratchFolder();
      const disguise = join(folder, "disguise.cjs");
      writeFileSync(
        disguise,
        `Object.defineProperty(process.versions, "node", { value: "${version}" });`,
      );
      checkOldNode(version, process.execPath, "--require", disguise);
      removeFolder(folder);
    });
  }
});
