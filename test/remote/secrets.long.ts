/** What is sent to other machines cannot be taken back: no credential is. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { draft, isOneLine, type Ran } from "../dialogue/project.ts";
import { reportText } from "../findings/board.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const token = `ghp_${"a1B2".repeat(9)}`;

describe("a credential in a session of several machines", () => {
  let host: string;
  let ana: Laptop;
  beforeEach(() => {
    host = makeBareRepository();
    ana = new Laptop(host);
  });

  const stored = () => [
    git(host, "for-each-ref"),
    readdirSync(join(host, "objects"), { recursive: true }).sort(),
  ];
  const log = (id: string) => (existsSync(ana.path("sessions", id)) ? ana.log(id) : "");
  const checkKept = (id: string, run: () => Ran) => {
    const before = [stored(), log(id)];
    const { code, stdout, stderr } = run();
    assert.deepEqual([code, stdout, isOneLine(stderr)], [2, "", true], stderr);
    assert.match(stderr, /^error: .* looks as if it holds a GitHub token, .*: nothing was sent; /);
    assert(!stderr.includes(token));
    assert.deepEqual([stored(), log(id)], before);
  };
  const topic = ["--participant", "a", "--participant", "b", "--store", "git"];

  it("is not sent as a topic, and no session is left of it", () => {
    const words = ["--topic", `Is ${token} valid?`, "--session", "talk", ...topic];
    checkKept("talk", () => ana.run("init", words));
    ana.done("init", ["--topic", "Is it valid?", "--session", "talk", ...topic]);
  });

  it("is not sent in a message", () => {
    ana.done("init", ["--topic", "Which store?", "--session", "talk", ...topic]);
    const open = { position: undefined };
    checkKept("talk", () => ana.send("talk", "a", draft("REQUEST", `Push with ${token}?`, open)));
    ana.say("talk", "a", draft("REQUEST", "Push with mine?", open));
  });

  it("is not sent in a finding", () => {
    const board = ".consulta/sessions/causes";
    ana.done("init", [board, "2", "600", "--store", "git"]);
    ana.done("register", [board, "ana"]);
    const post = (summary: string) =>
      ana.run("post", [board, "ana", "a cause", "--file", "-"], reportText({ summary }));
    checkKept("causes", () => post(`It pushes with ${token}.`));
    assert.equal(post("It pushes.").code, 0);
  });
});
