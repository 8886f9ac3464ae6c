/** What keeps a session of machines from its git remote: put right, the same line sends its event, once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeCertificates } from "./certificates.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { byFile, byHttp, byHttps, bySsh, hasOpenssl, hasSshd, type Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";
import { thisHost } from "./network.ts";
import { checkBegunOnce, checkSentOnce, type Fault } from "./sent-once.ts";

const id = "stores";

type Broken = Omit<Fault, "stored">;

/** What a host has of the session; nothing where it never began. */
function storedOn(host: string): string {
  const ref = `refs/consulta/${id}`;
  return git(host, "for-each-ref", ref) === "" ? "" : git(host, "log", "--format=%B", ref);
}

/** Both before there is a session and in it. */
function checkPutRight(
  what: string,
  open: (host: string) => Way | Promise<Way>,
  fault: (at: Laptop, host: string, way: Way) => Broken,
  skip: string | false = false,
): void {
  it(what, { skip }, async () => {
    const host = makeBareRepository();
    const way = await open(host);
    try {
      const ca = caOf(way);
      const at = new Laptop(way.url, way.settings, thisHost, ca ? { GIT_SSL_CAINFO: ca } : {});
      const whole = { ...fault(at, host, way), stored: () => storedOn(host) };
      await checkBegunOnce(at, id, whole, "git");
      await checkSentOnce(at, id, whole);
    } finally {
      way.stop();
    }
  });
}

/** The file of the CA that its users trust: what the environment names here would count before it. */
function caOf(way: Way): string | undefined {
  const [setting] = way.settings.filter((it) => it.startsWith("http.sslCAInfo="));
  return setting?.slice(setting.indexOf("=") + 1);
}

/** Another setting of this machine's user, and theirs again. */
function set(at: Laptop, name: string, wrong: string, right: string) {
  return {
    begin: () => at.set(`${name}=${wrong}`),
    end: () => at.set(`${name}=${right}`),
  };
}

/** Another `ssh` than the one that finds and knows the host. */
function ssh(at: Laptop, way: Way, change: (command: string) => string) {
  const [command = ""] = way.settings.map((it) => it.slice(it.indexOf("=") + 1));
  return set(at, "core.sshCommand", change(command), command);
}

/** With another list of known hosts, made of the one that is right. */
function knownBy(command: string, change: (known: string) => string): string {
  const [, right = ""] = /UserKnownHostsFile=(\S+)/.exec(command) ?? [];
  const path = join(makeScratchFolder(), "known");
  writeFileSync(path, change(readFileSync(right, "utf8")));
  return command.replace(right, path);
}

function anotherKey(): string {
  const path = join(makeScratchFolder(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  return readFileSync(`${path}.pub`, "utf8").split(" ").slice(0, 2).join(" ");
}

describe("the same line sends an event once after what was wrong is put right", {
  timeout: 240_000,
}, () => {
  const password = (word: string) => `!f() { echo username=ana; echo password=${word}; }; f`;
  const withPassword = (host: string) => byHttp(host, { password: "ana:open-sesame" });
  const noSshd = !hasSshd && "needs sshd";

  checkPutRight("a wrong password", withPassword, (at) => ({
    code: 4,
    said: /origin is out of reach \(fatal: Authentication failed for/,
    ...set(at, "credential.helper", password("wrong"), password("open-sesame")),
  }));

  checkPutRight("no right to push, by HTTP", withPassword, (_, host) => ({
    code: 4,
    said: /origin .*403/,
    begin: () => git(host, "config", "http.receivepack", "false"),
    end: () => git(host, "config", "http.receivepack", "true"),
  }));

  checkPutRight("a host that refuses such refs", byFile, (_, host) => ({
    code: 4,
    said: /origin does not take refs\/consulta\/stores \(.*\); may you push there\?/,
    begin: () => setHook(host, "pre-receive", "exit 1"),
    end: () => rmSync(join(host, "hooks", "pre-receive")),
  }));

  checkPutRight(
    "a CA that nobody trusts",
    (host) => byHttps(host, { password: "ana:open-sesame" }),
    (_, __, way) => {
      const path = caOf(way) ?? assert.fail();
      const right = readFileSync(path);
      const { ca: another } = makeCertificates(makeScratchFolder(), ["127.0.0.1"]);
      return {
        code: 4,
        said: /origin is out of reach \(fatal: .*certificate/i,
        begin: () => copyFileSync(another, path),
        end: () => writeFileSync(path, right),
      };
    },
    !hasOpenssl && "needs openssl",
  );

  checkPutRight(
    "a host of ssh that nobody knows",
    bySsh,
    (at, _, way) => ({
      code: 4,
      said: /origin is out of reach \(.*Host key verification failed/,
      ...ssh(at, way, (command) => knownBy(command, () => "")),
    }),
    noSshd,
  );

  checkPutRight(
    "a host of ssh that has another key than is known",
    bySsh,
    (at, _, way) => ({
      code: 4,
      said: /origin is out of reach \(.*Host key .* has changed/i,
      ...ssh(at, way, (command) =>
        knownBy(command, (known) => `${known.split(" ", 1)[0]} ${anotherKey()}\n`),
      ),
    }),
    noSshd,
  );

  checkPutRight(
    "a key of ssh that the host does not know",
    bySsh,
    (at, _, way) => ({
      code: 4,
      said: /origin is out of reach \(.*Permission denied/,
      ...ssh(at, way, (command) => command.replace(/-i \S+/, "-i /dev/null")),
    }),
    noSshd,
  );

  checkPutRight("a project without a remote", byFile, (at, host) => ({
    code: 2,
    said: /no git remote "origin" \(it has none\): add it with git remote add/,
    begin: () => git(at.folder, "remote", "remove", "origin"),
    end: () => git(at.folder, "remote", "add", "origin", host),
  }));

  checkPutRight("a folder in no git repository", byFile, (at) => {
    const [there, away] = [".git", "git-away"].map((it) => join(at.folder, it)) as [string, string];
    return {
      code: 2,
      said: /is in no git repository that you may use \(.*\), so it has no remote origin: give/,
      begin: () => renameSync(there, away),
      end: () => renameSync(away, there),
    };
  });
});
