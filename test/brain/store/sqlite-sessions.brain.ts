import { after } from "node:test";
import { openSqliteStore } from "../../../scripts-src/brain/store/sqlite-store.ts";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { checkSessions } from "../check-sessions.ts";
import { underBrainNode } from "../under-brain-node.ts";

await underBrainNode(import.meta.url, async () => {
  const folders: string[] = [];
  after(() => folders.forEach(removeFolder));
  checkSessions("SqliteStore", () => {
    const folder = makeScratchFolder();
    folders.push(folder);
    return openSqliteStore(folder);
  });
});
