/** The ways to a host: nobody is asked, nothing of a project is run, and what cannot be reached is said in one line. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { draft } from "../dialogue/project.ts";
import { makeScratchFolder } from "../scratch-folder.ts";
import { git, makeBareRepository } from "./git-remote.ts";
import { byHttp, byHttps, bySsh, hasOpenssl, hasSshd, type Way } from "./git-server.ts";
import { Laptop } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const who = ["--participant", "a", "--participant", "b"];
const opening = ["--topic", "Which store?", "--session", "stores", ...who, "--store", "git"];
const begin = (at: Laptop, env = {}, ...more: string[]) =>
  at.run("init", [...opening, ...more], "", { env });
const laptop = ({ url, settings }: Way) => new Laptop(url, settings);

/** What an ssh of the user's runs. */
const sshOf = ({ settings: [set = ""] }: Way) => set.slice(set.indexOf("=") + 1);

describe("a host of smart HTTP", () => {
  let way: Way;
  let open: Way;
  before(async () => {
    const host = makeBareRepository();
    way = await byHttp(host, { password: "ana:open-sesame" });
    open = await byHttp(host);
  });
  after(() => {
    way.stop();
    open.stop();
  });

  it("says what is wrong with a password, and asks nobody", () => {
    const at = laptop(way);
    for (const [helper, said] of [
      ["!f() { echo username=ana; echo password=wrong; }; f", /fatal: Authentication failed for/],
      ["", /fatal: could not read Username .*terminal prompts disabled/],
    ] as const) {
      at.set(`credential.helper=${helper}`);
      checkFailed(begin(at), { code: 4, said });
    }
  });

  it("runs no program that would ask, and tells the helpers not to", () => {
    const at = laptop(way);
    const [asked, told, ask] = ["asked", "told", "ask"].map((name) => join(at.home, name));
    if (asked === undefined || told === undefined || ask === undefined) return;
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
    checkFailed(begin(at, env), { code: 4, said: /./ });
    assert(!existsSync(asked), "somebody was asked");
    const lines = readFileSync(told, "utf8").trimEnd().split("\n");
    assert.deepEqual([...new Set(lines)], ["never false [] never"]);
  });

  it("is refused where anybody can read it, or what is sent to it, unless that is wanted", () => {
    const [ana, bo, cy] = [laptop(open), laptop(open), laptop(way)];
    const said = /anybody can read origin \(http:\S+ answers without a password\).*give --public/;
    checkFailed(begin(ana), { code: 2, said });
    begin(ana, {}, "--public");
    checkFailed(bo.run("join", ["stores"]), { code: 2, said });
    assert(!existsSync(bo.path()), "a folder was made");
    bo.done("join", ["stores", "--public"]);
    assert.equal(bo.log("stores"), ana.log("stores"));
    git(cy.folder, "remote", "set-url", "--push", "origin", open.url);
    checkFailed(begin(cy), { code: 2, said });
  });
});

describe("a host whose certificate a CA of its own signed", {
  skip: !hasOpenssl && "needs openssl",
}, () => {
  let way: Way;
  before(async () => {
    way = await byHttps(makeBareRepository(), { password: "ana:open-sesame" });
  });
  after(() => way.stop());

  it("is trusted where the user's settings name it", () => {
    const [ana, bo] = [laptop(way), laptop(way)];
    assert.equal(begin(ana).code, 0);
    bo.done("join", ["stores"]);
    const wait = ["--session", "stores", "--participant", "b", "--timeout", "60"];
    ana.say("stores", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    assert.match(bo.done("wait-for-turn", wait), /Files or SQLite\?/);
  });

  it("is not trusted, whatever the user's settings and environment turn off", () => {
    const at = new Laptop(makeBareRepository());
    git(at.folder, "remote", "set-url", "origin", way.url);
    const said = /origin is out of reach \(fatal: .*certificate/i;
    checkFailed(begin(at), { code: 4, said });
    at.set("http.sslVerify=false");
    checkFailed(begin(at, { GIT_SSL_NO_VERIFY: "1" }), { code: 4, said });
  });
});

describe("a host of ssh", { skip: !hasSshd && "needs sshd" }, () => {
  let way: Way;
  before(async () => {
    way = await bySsh(makeBareRepository());
  });
  after(() => way.stop());

  it("says that nobody knows the host, or the user, and asks nobody", () => {
    const at = laptop(way);
    const unknown = join(makeScratchFolder(), "known");
    writeFileSync(unknown, "");
    for (const [command, said] of [
      [sshOf(way).replace(/(UserKnownHostsFile=)\S+/, `$1${unknown}`), /Host key verification/],
      [sshOf(way).replace(/-i \S+/, "-i /dev/null"), /Permission denied/],
    ] as const) {
      at.set(`core.sshCommand=${command}`);
      checkFailed(begin(at), { code: 4, said });
    }
  });

  type Told = [by: string, isSet: boolean, env: (program: string) => Record<string, string>];
  const tellings: Told[] = [
    ["the settings", true, () => ({})],
    // git goes by the settings then.
    ["the settings beside a GIT_SSH", true, () => ({ GIT_SSH: "/bin/false" })],
    ["GIT_SSH_COMMAND", false, (program) => ({ GIT_SSH_COMMAND: program })],
  ];
  for (const [index, [by, isSet, env]] of tellings.entries())
    it(`tells the ssh that is named by ${by} to ask nobody, whenever it is called`, () => {
      const at = laptop(way);
      const [program, noted] = [join(at.home, "note-ssh"), join(at.home, "noted")];
      const lines = `echo "$*" >>'${noted}'\nexec ${sshOf(way)} "$@"`;
      writeFileSync(program, `#!/bin/sh\n${lines}\n`, { mode: 0o700 });
      if (isSet) at.set(`core.sshCommand=${program}`);
      const ran = begin(at, env(program), "--session", `told-${index}`);
      assert.equal(ran.code, 0, ran.stderr);
      const calls = readFileSync(noted, "utf8").trimEnd().split("\n");
      const own = calls.filter((line) => !line.startsWith("-G "));
      assert(own.length > 1);
      for (const call of own) assert(call.startsWith("-o BatchMode=yes -o ConnectTimeout=15 "));
    });
});

describe("what a project's own settings of git name", { skip: !hasSshd && "needs sshd" }, () => {
  /** Everything in its settings that names a program, or another way to a host. */
  const trap = (at: Laptop, url: string) => {
    const mark = join(at.home, "ran");
    const run = `touch ${mark};:`;
    const programs = ["core.sshCommand", "core.askPass", "core.gitProxy", "core.fsmonitor"];
    const own: [name: string, value: string][] = [
      ...[...programs, "remote.origin.uploadpack", "remote.origin.receivepack"].map(
        (name): [string, string] => [name, run],
      ),
      ["credential.helper", `!${run}`],
      [`credential.${new URL(url).origin}.helper`, `!${run}`],
      ["http.proxy", "http://127.0.0.1:9"],
      ["remote.origin.proxy", "http://127.0.0.1:9"],
      ["protocol.allow", "never"],
      [`url.${join(at.home, "elsewhere")}.insteadOf`, url],
    ];
    const more = join(at.folder, "more-settings");
    for (const [name, value] of own) git(at.folder, "config", "--file", more, name, value);
    git(at.folder, "config", "include.path", more);
    return mark;
  };

  for (const [name, open] of [
    ["HTTP", (host: string) => byHttp(host, { password: "ana:open-sesame" })],
    ["ssh", bySsh],
  ] as const)
    it(`is not run and not gone by, and the user's own is: ${name}`, async () => {
      const way = await open(makeBareRepository());
      const [ana, bo] = [laptop(way), laptop(way)];
      const marks = [trap(ana, way.url), trap(bo, way.url)];
      ana.done("init", opening);
      ana.say("stores", "a", draft("REQUEST", "Files or SQLite?", { position: undefined }));
      bo.done("join", ["stores"]);
      assert.match(bo.next("stores", "b").stdout, /Files or SQLite\?/);
      bo.done("status", ["--store", "git"]);
      assert.deepEqual(marks.map(existsSync), [false, false]);
      way.stop();
    });

  it("does not lead to a host without TLS, by insteadOf of the user's own settings either", () => {
    const host = makeBareRepository();
    const at = new Laptop(host);
    at.set(`url.http://example.org/.insteadOf=${host}`);
    const said = /^error: "http:\/\/example\.org\/" is no address for sessions/;
    checkFailed(begin(at), { code: 2, said });
  });
});
