import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { draft, isOneLine } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { makeCertificates } from "./certificates.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { byHttp, bySsh, hasOpenssl, hasSshd, type Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";

const id = "stores";
const opening = [
  "--topic",
  "Which store?",
  "--session",
  id,
  "--participant",
  "a",
  "--participant",
  "b",
];
const request = JSON.stringify(draft("REQUEST", "Files or SQLite?", { position: undefined }));

/** Opens a session, joins it from another machine, and lets one message through. */
function talk(ana: Laptop, bo: Laptop): void {
  ana.done("init", [...opening, "--store", "git"]);
  const append = ["--session", id, "--participant", "a", "--message", "-"];
  ana.done("append-event", append, request);
  bo.done("join", [id]);
  assert.match(
    bo.done("next-action", ["--session", id, "--participant", "b"]),
    /Files or SQLite\?/,
  );
}

/** What cannot be reached is said in one line, and nothing is left of it. */
function checkOut(at: Laptop, code: number, said: RegExp, ...args: string[]): void {
  const ran = at.run("init", [...opening, "--store", "git", ...args]);
  assert.deepEqual([ran.code, ran.stdout, isOneLine(ran.stderr)], [code, "", true], ran.stderr);
  assert.match(ran.stderr, said);
}

describe("a remote to which events go by another address", () => {
  let closed: Way;
  let open: Way;
  before(async () => {
    closed = await byHttp(makeBareRepository(), { password: "ana:open-sesame" });
    open = await byHttp(makeBareRepository());
  });
  after(() => {
    closed.stop();
    open.stop();
  });

  for (const [what, divert] of [
    ["pushurl", (at: Laptop) => git(at.folder, "remote", "set-url", "--push", "origin", open.url)],
  ] as const) {
    it(`is refused where anybody can read them there: ${what}`, () => {
      const at = new Laptop(closed.url, closed.settings);
      divert(at);
      checkOut(at, 2, /anybody can read origin \(http:\S+ answers without a password\)/);
    });
  }
});

describe("a host of smart HTTP", () => {
  let host: string;
  let way: Way;
  let open: Way;
  before(async () => {
    host = makeBareRepository();
    way = await byHttp(host, { password: "ana:open-sesame" });
    open = await byHttp(host);
  });
  after(() => {
    way.stop();
    open.stop();
  });

  it("says what is wrong with a password, and asks nobody", () => {
    const at = new Laptop(way.url, way.settings);
    at.set("credential.helper=!f() { echo username=ana; echo password=wrong; }; f");
    checkOut(at, 4, /origin is out of reach \(fatal: Authentication failed for/);
    at.set("credential.helper=");
    checkOut(
      at,
      4,
      /origin is out of reach \(fatal: could not read Username .*terminal prompts disabled/,
    );
  });

  it("runs no program that would ask, and tells the helpers not to", () => {
    const at = new Laptop(way.url, way.settings);
    const [asked, told] = [join(at.home, "asked"), join(at.home, "told")];
    const ask = join(at.home, "ask");
    writeFileSync(ask, `#!/bin/sh\ntouch '${asked}'\n`, { mode: 0o700 });
    const asking = "[$GIT_ASKPASS$SSH_ASKPASS$(git config core.askPass)] $SSH_ASKPASS_REQUIRE";
    const words = `$GCM_INTERACTIVE $(git config credential.interactive) ${asking}`;
    at.set(`credential.helper=!f() { echo "${words}" >>'${told}'; }; f`);
    at.set(`core.askPass=${ask}`);
    at.set("credential.interactive=true");
    const env = {
      ...{ GIT_ASKPASS: ask, SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: "force", DISPLAY: ":9" },
      ...{ GCM_INTERACTIVE: "always" },
    };
    const ran = at.run("init", [...opening, "--store", "git"], "", { env });
    assert.deepEqual([ran.code, isOneLine(ran.stderr)], [4, true], ran.stderr);
    assert(!existsSync(asked), "somebody was asked");
    const lines = readFileSync(told, "utf8").trimEnd().split("\n");
    assert.deepEqual([...new Set(lines)], ["never false [] never"]);
  });

  it("refuses a remote that anybody can read, unless that is wanted", () => {
    const [ana, bo] = [new Laptop(open.url), new Laptop(open.url)];
    checkOut(
      ana,
      2,
      /anybody can read origin \(http:\S+ answers without a password\).*give --public/,
    );
    ana.done("init", [...opening, "--store", "git", "--public"]);
    const joined = bo.run("join", [id]);
    assert.deepEqual([joined.code, joined.stdout, isOneLine(joined.stderr)], [2, "", true]);
    assert.match(joined.stderr, /^error: anybody can read origin .*give --public/);
    assert(!existsSync(bo.path()), "a folder was made");
    bo.done("join", [id, "--public"]);
    assert.equal(bo.log(id), ana.log(id));
  });
});

describe("a host whose certificate a CA of its own signed", {
  skip: !hasOpenssl && "needs openssl",
}, () => {
  let trusted: string;
  let server: ChildProcess;
  let url: string;
  before(async () => {
    const { key, cert, ca } = makeCertificates(makeScratchFolder(), ["127.0.0.1"]);
    trusted = ca;
    const program = `const read = (path) => require("node:fs").readFileSync(path);
      const [key, cert] = process.argv.slice(1).map(read);
      const server = require("node:https").createServer({ key, cert }, (_, response) =>
        response.writeHead(404).end());
      server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;
    const words = ["-e", program, key, cert];
    server = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    const [port] = await once(server.stdout ?? assert.fail(), "data");
    url = `https://127.0.0.1:${String(port).trim()}/x.git`;
  });
  after(() => server.kill());

  const laptop = () => {
    const at = new Laptop(makeBareRepository());
    git(at.folder, "remote", "set-url", "origin", url);
    return at;
  };
  const untrusted = /origin is out of reach \(fatal: .*certificate/i;

  it("is not trusted, whatever the user's settings and environment turn off", () => {
    checkOut(laptop(), 4, untrusted);
    const at = laptop();
    writeFileSync(join(at.home, ".gitconfig"), "[http]\n\tsslVerify = false\n");
    checkOut(at, 4, untrusted);
    const env = { GIT_SSL_NO_VERIFY: "1" };
    const ran = at.run("init", [...opening, "--store", "git"], "", { env });
    assert.equal(ran.code, 4);
    assert.match(ran.stderr, untrusted);
  });

  it("is where the user names the CA: then only the repository is missing there", () => {
    const env = { GIT_SSL_CAINFO: trusted };
    const ran = laptop().run("init", [...opening, "--store", "git"], "", { env });
    assert.deepEqual([ran.code, isOneLine(ran.stderr)], [4, true], ran.stderr);
    assert.match(ran.stderr, /origin is out of reach \(fatal: repository '\S+' not found/);
  });
});

describe("a host of ssh", { skip: !hasSshd && "needs sshd" }, () => {
  let way: Way;
  before(async () => {
    way = await bySsh(makeBareRepository());
  });
  after(() => way.stop());

  it("says that nobody knows the host, or that it knows another, and asks nobody", () => {
    const at = new Laptop(way.url, way.settings);
    const [set = ""] = way.settings;
    const command = set.slice(set.indexOf("=") + 1);
    const known = join(makeScratchFolder(), "known");
    writeFileSync(known, "");
    at.set(`core.sshCommand=${command.replace(/(UserKnownHostsFile=)\S+/, `$1${known}`)}`);
    checkOut(at, 4, /origin is out of reach \(.*Host key verification failed/);
    at.set(`core.sshCommand=${command.replace(/-i \S+/, "-i /dev/null")}`);
    checkOut(at, 4, /origin is out of reach \(.*Permission denied/);
  });

  /** A program in the place of ssh that notes its words, and the user's own command of it. */
  const noting = (at: Laptop, known?: string) => {
    const [set = ""] = way.settings;
    const ssh = set.slice(set.indexOf("=") + 1);
    const command =
      known === undefined ? ssh : ssh.replace(/(UserKnownHostsFile=)\S+/, `$1${known}`);
    const [program, noted] = [join(at.home, "note-ssh"), join(at.home, "noted")];
    writeFileSync(program, `#!/bin/sh\necho "$*" >>'${noted}'\nexec ${command} "$@"\n`, {
      mode: 0o700,
    });
    const calls = () =>
      readFileSync(noted, "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => !line.startsWith("-G "));
    return { program, calls };
  };
  const batch = "-o BatchMode=yes -o ConnectTimeout=15 ";

  type Told = [
    by: string,
    settle: (at: Laptop, program: string) => void,
    env: (program: string) => Record<string, string>,
  ];
  const settings: Told[1] = (at, program) => at.set(`core.sshCommand=${program}`);
  const tellings: Told[] = [
    ["the settings", settings, () => ({})],
    // git goes by the settings then.
    ["the settings beside a GIT_SSH", settings, () => ({ GIT_SSH: "/bin/false" })],
    ["GIT_SSH_COMMAND", () => undefined, (program) => ({ GIT_SSH_COMMAND: program })],
  ];
  for (const [index, [by, settle, env]] of tellings.entries()) {
    it(`tells the ssh that is named by ${by} to ask nobody, whenever it is called`, () => {
      const at = new Laptop(way.url, way.settings);
      const { program, calls } = noting(at);
      settle(at, program);
      const words = [
        ...opening.slice(0, 2),
        "--session",
        `told-${index}`,
        ...opening.slice(4),
        "--store",
        "git",
      ];
      const ran = at.run("init", words, "", { env: env(program) });
      assert.equal(ran.code, 0, ran.stderr);
      assert(calls().length > 1);
      for (const call of calls()) assert(call.startsWith(batch), call);
    });
  }
});

describe("what a project's own settings of git name", { skip: !hasSshd && "needs sshd" }, () => {
  let http: Way;
  let ssh: Way;
  before(async () => {
    http = await byHttp(makeBareRepository(), { password: "ana:open-sesame" });
    ssh = await bySsh(makeBareRepository());
  });
  after(() => {
    http.stop();
    ssh.stop();
  });

  /** A project with everything in its settings that names a program, or another way to a host. */
  const trap = (at: Laptop, url: string) => {
    const mark = join(at.home, "ran");
    const run = `touch ${mark};:`;
    const own: [name: string, value: string][] = [
      ["core.sshCommand", run],
      ["credential.helper", `!${run}`],
      [`credential.${new URL(url).origin}.helper`, `!${run}`],
      ["core.askPass", run],
      ["core.gitProxy", run],
      ["core.fsmonitor", run],
      ["http.proxy", "http://127.0.0.1:9"],
      ["remote.origin.proxy", "http://127.0.0.1:9"],
      ["remote.origin.uploadpack", run],
      ["remote.origin.receivepack", run],
      ["protocol.allow", "never"],
      [`url.${join(at.home, "elsewhere")}.insteadOf`, url],
    ];
    const more = join(at.folder, "more-settings");
    for (const [name, value] of own) git(at.folder, "config", "--file", more, name, value);
    git(at.folder, "config", "include.path", more);
    return mark;
  };

  for (const [name, way] of [
    ["HTTP", () => http],
    ["ssh", () => ssh],
  ] as const) {
    it(`is not run and not gone by, and the user's own is: ${name}`, () => {
      const [ana, bo] = [
        new Laptop(way().url, way().settings),
        new Laptop(way().url, way().settings),
      ];
      const marks = [trap(ana, way().url), trap(bo, way().url)];
      talk(ana, bo);
      bo.done("status", ["--store", "git"]);
      assert.deepEqual(marks.map(existsSync), [false, false]);
    });
  }

  it("does not lead to a host without TLS, by insteadOf of the user's own settings either", () => {
    const host = makeBareRepository();
    const at = new Laptop(host);
    at.set(`url.http://example.org/.insteadOf=${host}`);
    checkOut(at, 2, /^error: "http:\/\/example\.org\/" is no address for sessions/);
    assert(!existsSync(at.path("sessions", id)), "nothing began");
  });
});
