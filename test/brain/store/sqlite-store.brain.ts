import { after } from "node:test";
import { makeScratchFolder, removeFolder } from "../../scratch-folder.ts";
import { checkBrainStore } from "../check-brain-store.ts";
import { underBrainNode } from "../under-brain-node.ts";

await underBrainNode(import.meta.url, async () => {
  const { loadSqlite } = await import("../../../scripts-src/brain/store/load-sqlite.ts");
  const { BrainDatabase } = await import("../../../scripts-src/brain/store/brain-database.ts");
  const { SqliteStore } = await import("../../../scripts-src/brain/store/sqlite-store.ts");
  const sqlite = await loadSqlite();
  const scratch = makeScratchFolder();
  after(() => removeFolder(scratch));
  let folders = 0;

  checkBrainStore("SqliteStore", () => {
    folders += 1;
    const folder = `${scratch}/${folders}`;
    const stores = [new SqliteStore(new BrainDatabase(sqlite, folder), {})];
    const [store] = stores;
    if (store === undefined) throw new Error("unreachable");
    return {
      store,
      again: () => {
        const other = new SqliteStore(new BrainDatabase(sqlite, folder), {});
        stores.push(other);
        return other;
      },
      close: () => {
        for (const each of stores) each.close();
      },
    };
  });
});
