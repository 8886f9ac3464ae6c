import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { order } from "./room-order.ts";

const map = "CONTRIBUTING.md";
const rooms = readdirSync("scripts-src");

/** What a text names as a file or a folder, in backquotes or as a link; patterns and placeholders are none. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path);
  const named = quoted.filter((it) => /\/|\.(?:ts|md|json)$/.test(it) && !/NAME\./.test(it));
  return [...named, ...linked];
}

function missing(text: string, ...below: string[]): string[] {
  const exists = (path: string) => below.some((folder) => existsSync(join(folder, path)));
  return pathsIn(text).filter((path) => !exists(path));
}

describe("the map of the house", () => {
  const text = readFileSync(map, "utf8");

  it("names only what exists", () => {
    assert(pathsIn(text).length > 60);
    assert.deepEqual(missing(text, ".", "scripts-src"), []);
  });

  it("sees a path that does not", () => {
    const wrong = "`session/gone.ts`, `gone/`, [x](docs/gone.md), `npm test`, `cli/NAME.ts`";
    assert.deepEqual(missing(wrong, ".", "scripts-src"), [
      ...["session/gone.ts", "gone/", "docs/gone.md"],
    ]);
  });

  it("has every room, in the order that the test holds", () => {
    const table = text.slice(text.indexOf("| room |"), text.indexOf("## A message"));
    const there = order.filter((room) => existsSync(join("scripts-src", room)));
    const places = there.map((room) => table.search(new RegExp(`(?:\\[|\`)${room}[\\]\`]`)));
    assert.deepEqual(
      places.filter((at) => at < 0),
      [],
    );
    assert.deepEqual(
      [...places].sort((one, other) => one - other),
      places,
    );
  });

  it("has a room, or the whole product, for each folder of tests", () => {
    const whole = [...text.matchAll(/`test\/([\w-]+)\/`/g)].map(([, folder]) => folder);
    const folders = readdirSync("test", { withFileTypes: true }).filter((it) => it.isDirectory());
    const strange = folders.map((it) => it.name).filter((it) => !rooms.includes(it));
    for (const folder of strange) assert(whole.includes(folder), folder);
  });

  for (const room of rooms) {
    it(`${room} says what it is for`, () => {
      const readme = readFileSync(join("scripts-src", room, "README.md"), "utf8");
      assert(readme.split("\n").length <= 21);
      for (const part of ["Comes in:", "Goes out:", "May not:"]) assert(readme.includes(part));
      assert.deepEqual(missing(readme, ".", "scripts-src", join("scripts-src", room)), []);
    });
  }
});
