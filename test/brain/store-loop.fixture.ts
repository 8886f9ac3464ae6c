import { writeSync } from "node:fs";
import { openStore } from "../../scripts-src/brain/store/brain-store.ts";
import { time } from "./given.ts";

/**
 * Stores memories in `folder` until it is killed. Says on stdout what is acknowledged (`+ key`,
 * `- key`), and before a key is removed that it may be gone from now on (`? key`).
 */
async function storeLoop(folder: string, name: string): Promise<void> {
  const store = await openStore(folder);
  for (let number = 1; ; number += 1) {
    const key = `${name}/${number}`;
    const value = `memory ${number} of ${name}: ${"some words about it ".repeat(number % 50)}`;
    store.memories.store({ key, value, source: "loop" }, time(number));
    writeSync(1, `+ ${key}\n`);
    if (number % 5 === 0) {
      const content = { number, text: value };
      store.sessions.saveSnapshot({ session: name, cli: "loop", content, at: time(number) });
    }
    if (number % 7 !== 0) continue;
    const gone = `${name}/${number - 3}`;
    writeSync(1, `? ${gone}\n`);
    store.forget({ keys: gone });
    writeSync(1, `- ${gone}\n`);
  }
}

const [, , folder = "", name = ""] = process.argv;
void storeLoop(folder, name);
