/** What a host is asked for, where it has many refs that are none of ours. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gitHost } from "../../scripts-src/remote/git/git-host.ts";
import { Git } from "../../scripts-src/remote/git/run-git.ts";
import {
  askHost,
  branchRef,
  namesFrom,
  sessionRef,
} from "../../scripts-src/remote/git/session-refs.ts";
import { appendAll } from "../log/check-event-log.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { byFile, byHttp, bySsh, hasSshd, type Way } from "./git-server.ts";
import { newMachineAt } from "./machine-at.ts";

const others = 2_000;
const overSsh = (more: readonly string[]) => (host: string) => bySsh(host, more);

const ways: [name: string, open: (host: string) => Way | Promise<Way>, told: number][] = [
  ["a file", byFile, 3],
  ["HTTP", byHttp, 3],
  ["ssh", overSsh(["AcceptEnv GIT_PROTOCOL"]), 3],
  ["ssh, in the oldest protocol", overSsh([]), others + 3],
];

describe("a host with many other refs", () => {
  for (const [name, open, told] of ways) {
    const skip = name.startsWith("ssh") && !hasSshd && "needs sshd";
    it(`names those of sessions, and brings nothing, when it is asked for them by ${name}`, {
      skip,
    }, async () => {
      const host = makeBareRepository();
      const way = await open(host);
      const command = way.settings[0]?.replace("core.sshCommand=", "");
      if (command !== undefined) process.env["GIT_SSH_COMMAND"] = command;
      try {
        const machine = newMachineAt(way.url);
        await appendAll(machine.open(), [{}]);
        const tip = git(host, "rev-parse", sessionRef("talk"));
        for (const ref of [branchRef("plan"), "refs/heads/consulta/deep/er"])
          git(host, "update-ref", ref, tip);
        const lines = Array.from({ length: others }, (_, at) => `${tip} refs/pull/${at}/head\n`);
        appendFileSync(join(host, "packed-refs"), lines.join(""));
        const asked = await gitHost("team", makeScratchFolder(), { team: way.url }, true);
        assert.deepEqual((await asked.sessions()).sort(), ["plan", "talk"]);
        assert.equal(await asked.find("plan"), branchRef("plan"));
        assert.equal(await asked.find("pla"), undefined);
        const repository = makeScratchFolder();
        git(repository, "init", "--quiet", "--bare", ".");
        const empty = new Git({ folder: repository, repository, projects: [] });
        const wanted = ["refs/consulta/", "refs/heads/consulta/"].map(namesFrom);
        const { refs, end } = await askHost(empty, way.url, wanted, {});
        assert.deepEqual([end.exitCode, refs.size], [0, told], end.said);
        assert.match(git(repository, "count-objects"), /^0 objects/);
        assert.equal(await machine.store().fetch(), 1);
      } finally {
        delete process.env["GIT_SSH_COMMAND"];
        way.stop();
      }
    });
  }
});
