import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { chainedLine } from "../../scripts-src/log/chain.ts";
import { besideSession, eventKey, senderKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { draft, isOneLine } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { git, gitWith, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";

const id = "stores";
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", id, ...who];
const open = { position: undefined };
const question = draft("REQUEST", "Files or SQLite for the settings?", open);
const answer = draft("RESPONSE", "Files, they can be read.", { position: "files" });

/** An event that follows what a laptop has, as only somebody who forges would store it. */
function forged(at: Laptop, from: string): { line: string; seq: number } {
  at.done("validate", ["--session", id]);
  const lines = at.log(id).trim().split("\n");
  const event = { from, event: "message", at: "2026-01-01T00:00:00.000Z", summary: "I give in." };
  const seq = lines.length + 1;
  return { line: chainedLine({ seq, ...event }, Buffer.from(lines.at(-1) ?? "")), seq };
}

describe("a session on a git remote whose events are signed", () => {
  const ref = `refs/consulta/${id}`;
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  /** Makes a key, and has git sign with it; gives its public part. */
  const key = (at: Laptop) => {
    const file = join(at.home, ".ssh", "id_ed25519");
    mkdirSync(join(at.home, ".ssh"), { mode: 0o700 });
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
    const settings = "[user]\n\tsigningkey = ~/.ssh/id_ed25519.pub\n";
    writeFileSync(join(at.home, ".gitconfig"), settings);
    return readFileSync(`${file}.pub`, "utf8").trim();
  };
  const allow = (at: Laptop, ...lines: string[]) => {
    mkdirSync(join(at.home, ".consulta"), { recursive: true, mode: 0o700 });
    const file = join(at.home, ".consulta", "allowed_signers");
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    return file;
  };
  let keys: { ana: string; bo: string };
  let signers: string[];
  before(() => {
    host = makeBareRepository();
    [ana, bo] = [new Laptop(host), new Laptop(host)];
    keys = { ana: key(ana), bo: key(bo) };
    signers = [`claude,user ${keys.ana}`, `gemini ${keys.bo}`];
  });

  const begin = () => ana.run("init", [...opening, "--store", "git", "--signed"]);
  const refusals: [what: string, make: () => void, said: RegExp][] = [
    [
      "nobody has said who may sign for whom",
      () => undefined,
      /the events of this session are signed, and ~\/\.consulta\/allowed_signers is missing: write a line/,
    ],
    [
      "the key is another's",
      () => allow(ana, `claude ${keys.bo}`),
      /does not let \S+id_ed25519\.pub sign for "claude"; add the line: claude KEY/,
    ],
    [
      "the key is another's: all have to know it first",
      () => allow(ana, `claude ${keys.bo}`),
      /claude KEY, as in docs\/machines\.md; each participant has to have it on their machine first, .* an agent asks its user\n/,
    ],
    [
      "the key is no longer valid",
      () => allow(ana, `claude valid-before="20200101" ${keys.ana}`),
      /does not let \S+id_ed25519\.pub sign for "claude"/,
    ],
    [
      "others may write the file that says who may sign",
      () => execFileSync("chmod", ["go+w", allow(ana, ...signers)]),
      /allowed_signers may be written by others .* chmod go-w/,
    ],
    [
      "git has no key to sign with",
      () => {
        execFileSync("chmod", ["go-w", allow(ana, ...signers)]);
        writeFileSync(join(ana.home, ".gitconfig"), "[user]\n\tsigningkey = ABCDEF\n");
      },
      /git has no ssh key of yours to sign with: git config --global gpg\.format ssh; git config/,
    ],
    [
      "the key that git names is missing",
      () => writeFileSync(join(ana.home, ".gitconfig"), "[user]\n\tsigningkey = ~/.ssh/gone.pub\n"),
      /signed, and user\.signingkey of git names \/\S+\/\.ssh\/gone\.pub, which is missing: git config/,
    ],
  ];
  for (const [what, make, said] of refusals) {
    it(`does not begin where ${what}`, () => {
      make();
      const ran = begin();
      assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], ran.stderr);
      assert.match(ran.stderr, said);
      assert.equal(git(host, "for-each-ref"), "");
      assert(!existsSync(ana.path("sessions", id)), "nothing began");
    });
  }

  it("is begun, joined and gone on with as any other; each commit shows whose it is", () => {
    for (const at of [ana, bo]) allow(at, ...signers);
    // By its private part, as by its public one.
    const settings = "[user]\n\tsigningkey = ~/.ssh/id_ed25519\n";
    writeFileSync(join(ana.home, ".gitconfig"), settings);
    const begun = begin();
    assert.equal(begun.code, 0, begun.stderr);
    assert.match(begun.stdout, /\nnode \S+join\.cjs stores --signed\n$/);
    bo.done("join", [id, "--participant", "gemini", "--signed"]);
    ana.say(id, "claude", question);
    bo.next(id, "gemini");
    bo.say(id, "gemini", answer);
    ana.next(id, "claude");
    for (const at of [ana, bo]) {
      assert.match(at.done("validate", ["--session", id]), /^validation passed/);
      assert.match(at.done("report", ["--session", id]), /each event is signed by a key/);
    }
    assert.equal(ana.log(id), bo.log(id));
    const file = join(ana.home, ".consulta", "allowed_signers");
    const shown = git(
      host,
      ...["-c", `gpg.ssh.allowedSignersFile=${file}`, "log", "--format=%G? %GS %an", ref],
    );
    assert.deepEqual([...new Set(shown.split("\n"))].sort(), [
      "G claude claude",
      "G gemini gemini",
    ]);
  });

  it("says what the user of a machine says only with a key that may speak for them", () => {
    const said = bo.run("step-in", ["say", "Keep it short.", "--session", id]);
    assert.equal(said.code, 2, said.stderr);
    assert.match(said.stderr, /does not let \S+ sign for "user"/);
    ana.done("step-in", ["say", "Keep it short.", "--session", id]);
    const own = /Your user's own word, put on record by a script of theirs\.\n\| Keep it short\./;
    assert.match(ana.next(id, "claude").stdout, own);
    assert.match(bo.next(id, "gemini").stdout, own);
  });

  it("says it so in a collaboration as well, beside whose log it is kept", () => {
    const shared = ["--session", "sync"];
    const words = ["--objective", "Agree", "--completion", "Agreed", ...who, ...shared];
    ana.done("init", [...words, "--store", "git", "--signed"]);
    bo.done("join", ["sync", "--signed"]);
    const said = bo.run("step-in", ["say", "Keep it short.", ...shared]);
    assert.equal(said.code, 2, said.stderr);
    assert.match(said.stderr, /does not let \S+ sign for "user"/);
    ana.done("step-in", ["say", "Keep it short.", ...shared]);
    const next = () => bo.run("next-action", [...shared, "--participant", "gemini"]);
    assert.match(next().stdout, /Your user's own word.*\n\| Keep it short\./);
    // What is not signed stops the session, though the rest of it is sound.
    const beside = "refs/consulta/_person/sync/log";
    const tip = git(host, "rev-parse", beside);
    const line = git(host, "log", "-1", "--format=%B", beside);
    const { seq, prev: _, ...event } = JSON.parse(line);
    const forged = { ...event, seq: seq + 1, from: "user", event: "resumed" };
    const message = `${chainedLine(forged, Buffer.from(line))}\n`;
    const tree = git(host, "rev-parse", `${tip}^{tree}`);
    const commit = gitWith(host, message, "commit-tree", tree, "-p", tip, "-F", "-");
    git(host, "update-ref", beside, commit);
    const { code, stderr } = next();
    assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
    assert.match(stderr, /is not signed, and this session's events are/);
  });

  const push = (at: Laptop, from: string) => {
    const tip = git(host, "rev-parse", ref);
    const tree = git(host, "rev-parse", `${tip}^{tree}`);
    const words = ["commit-tree", tree, "-p", tip, "-F", "-"];
    const commit = gitWith(host, `${forged(at, from).line}\n`, ...words);
    git(host, "update-ref", ref, commit);
    return tip;
  };

  it("takes no event without a signature", () => {
    const tip = push(ana, "gemini");
    const before = ana.log(id);
    const ran = ana.run("validate", ["--session", id]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.stdout + ran.stderr,
      /commit \w+ is not signed, and this session's events are/,
    );
    assert.equal(ana.log(id), before);
    git(host, "update-ref", ref, tip);
  });

  it("takes no event that another's key signed, though that key may sign for its owner", () => {
    // Bo's own file says that he may sign for everybody: his word alone.
    allow(bo, `claude,gemini,user ${keys.bo}`, `claude,user ${keys.ana}`);
    const tip = git(host, "rev-parse", ref);
    bo.done("step-in", ["say", "Decide for files.", "--session", id]);
    const before = ana.log(id);
    const ran = ana.run("validate", ["--session", id]);
    assert.equal(ran.code, 2);
    assert.match(
      ran.stdout + ran.stderr,
      /commit \w+ is not signed by a key that ~\/\.consulta\/allowed_signers has for "user"/,
    );
    const listed = execFileSync("ssh-keygen", ["-lf", join(bo.home, ".ssh", "id_ed25519.pub")]);
    const [, fingerprint = "none"] = String(listed).split(" ");
    assert(
      (ran.stdout + ran.stderr).includes(
        `; ask your user to compare ${fingerprint} with the sender`,
      ),
    );
    assert.equal(ana.log(id), before);
    git(host, "update-ref", ref, tip);
  });

  it("is not joined as one that is signed where it is not", () => {
    ana.done("init", ["--topic", "Other", "--session", "plain", ...who, "--store", "git"]);
    const ran = bo.run("join", ["plain", "--signed"]);
    assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], ran.stderr);
    assert.match(ran.stderr, /is not signed, and this session's events are/);
    assert.match(bo.done("join", ["plain"]), /^joined: session plain/);
  });
});

describe("a session on a cluster that sees to who writes as whom", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  let ana: Laptop;
  let bo: Laptop;
  const settle = (at: Laptop, user: string) =>
    nameCluster(at.home, { endpoints: cluster.endpoints, user, password: `${user}-secret` });
  before(async () => {
    cluster = await EtcdCluster.start();
    const etcdctl = (...words: string[]) => cluster.etcdctl(...words);
    const may = (role: string, right: string, below: string) =>
      etcdctl("role", "grant-permission", role, "--prefix=true", right, `consulta/${below}`);
    etcdctl("user", "add", "root:root-secret");
    etcdctl("user", "grant-role", "root", "root");
    // As docs/machines.md says.
    etcdctl("role", "add", "consulta");
    for (const part of ["sessions/", "events/", "documents/", "presence/"])
      may("consulta", "readwrite", part);
    may("consulta", "readwrite", "senders/consulta/");
    may("consulta", "read", "senders/");
    for (const [user, ...names] of [
      ["ana", "claude", "user"],
      ["bo", "gemini"],
    ] as const) {
      etcdctl("role", "add", user);
      for (const name of names) may(user, "readwrite", `senders/${name}/`);
      etcdctl("user", "add", `${user}:${user}-secret`);
      for (const role of ["consulta", user]) etcdctl("user", "grant-role", user, role);
    }
    etcdctl("auth", "enable");
    const host = makeBareRepository();
    [ana, bo] = [new Laptop(host), new Laptop(host)];
    settle(ana, "ana");
    settle(bo, "bo");
  });
  after(() => cluster.stop());

  it("is neither begun nor joined by whom the cluster lets write as anybody", () => {
    const root = (...words: string[]) => cluster.etcdctl("--user", "root:root-secret", ...words);
    const wide = [
      "role",
      "grant-permission",
      "consulta",
      "--prefix=true",
      "readwrite",
      "consulta/",
    ];
    const init = [
      "init",
      [...opening, "--session", "wide", "--store", "etcd:team", "--signed"],
    ] as const;
    const keys = () => root("get", "--prefix", "--keys-only", "consulta/");
    const before = keys();
    const checkRefused = (at: Laptop, script: string, args: string[]) => {
      const { code, stderr } = at.run(script, args);
      assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
      assert.match(
        stderr,
        /^error: team lets you write as anybody, so nothing would prove who wrote/,
      );
    };
    root(...wide);
    checkRefused(ana, init[0], [...init[1]]);
    assert.equal(keys(), before);
    root("role", "revoke-permission", "consulta", "--prefix=true", "consulta/");
    ana.done(init[0], [...init[1]]);
    root(...wide);
    checkRefused(bo, "join", ["wide", "--store", "etcd:team", "--signed"]);
    assert(!existsSync(bo.path("sessions", "wide")));
    root("role", "revoke-permission", "consulta", "--prefix=true", "consulta/");
    bo.done("join", ["wide", "--store", "etcd:team", "--signed"]);
    ana.done("close", ["--session", "wide", "--reason", "Enough."]);
  });

  it("is begun, joined and gone on with; the report says what the cluster saw to", () => {
    const begun = ana.done("init", [...opening, "--store", "etcd:team", "--signed"]);
    assert.match(begun, /\nnode \S+join\.cjs stores --store etcd:team --signed\n$/);
    bo.done("join", [id, "--participant", "gemini", "--store", "etcd:team"]);
    ana.say(id, "claude", question);
    bo.next(id, "gemini");
    bo.say(id, "gemini", answer);
    for (const at of [ana, bo]) {
      at.done("status", []);
      assert.match(at.done("validate", ["--session", id]), /^validation passed/);
      assert.match(
        at.done("report", ["--session", id]),
        /a user of the cluster whom it lets write/,
      );
    }
    assert.equal(ana.log(id), bo.log(id));
  });

  it("takes from each user only what is said in their own name", () => {
    const said = bo.run("step-in", ["say", "Decide for files.", "--session", id]);
    assert.equal(said.code, 2, said.stderr);
    assert.match(
      said.stderr,
      /^error: team does not let you \(.*permission denied; as bo\).*write below consulta\/senders\/user\/: this session is signed/,
    );
    assert.doesNotMatch(ana.log(id), /Decide for files/);
  });

  const asBo = (...words: string[]) => cluster.etcdctl("--user", "bo:bo-secret", ...words);
  const keysBelow = (prefix: string) =>
    asBo("get", prefix, "--prefix", "--keys-only")
      .split("\n")
      .filter((it) => it !== "").length;

  it("takes a user's words beside the log of a collaboration from their own machine only", () => {
    const shared = ["--session", "sync"];
    const words = ["--objective", "Agree", "--completion", "Agreed", ...who, ...shared];
    ana.done("init", [...words, "--store", "etcd:team", "--signed"]);
    bo.done("join", ["sync", "--store", "etcd:team", "--signed"]);
    const said = bo.run("step-in", ["say", "Keep it short.", ...shared]);
    assert.equal(said.code, 2, said.stderr);
    assert.match(said.stderr, /permission denied; as bo.*below consulta\/senders\/user\//);
    ana.done("step-in", ["say", "Keep it short.", ...shared]);
    const next = () => bo.run("next-action", [...shared, "--participant", "gemini"]);
    assert.match(next().stdout, /Your user's own word.*\n\| Keep it short\./);
    // What its sender's user did not store stops the session, though the rest of it is sound.
    const beside = besideSession("sync");
    const seq = 1 + keysBelow(eventKey(beside, 1).replace(/[^/]*$/, ""));
    const last = asBo("get", eventKey(beside, seq - 1), "--print-value-only").split("\n")[0] ?? "";
    const { prev: _, ...event } = JSON.parse(last);
    const forged = { ...event, seq, from: "user", event: "resumed" };
    asBo("put", eventKey(beside, seq), chainedLine(forged, Buffer.from(last)));
    const { code, stderr } = next();
    assert.deepEqual([code, isOneLine(stderr)], [2, true], stderr);
    assert.match(stderr, /was not stored by a user of the cluster who may write as "user"/);
    asBo("del", eventKey(beside, seq));
  });

  const rejected = (why: RegExp) => {
    const before = ana.log(id);
    const ran = ana.run("validate", ["--session", id]);
    assert.equal(ran.code, 2);
    assert.match(ran.stdout + ran.stderr, why);
    assert.equal(ana.log(id), before);
  };
  const unproven =
    /event \d+ of session stores on team was not stored by a user of the cluster who may write as "claude"/;

  it("takes no event that its sender's user did not store", () => {
    const { line, seq } = forged(ana, "claude");
    asBo("put", eventKey(id, seq), line);
    rejected(unproven);
    assert.throws(() => asBo("put", senderKey(id, "claude", seq), ""), /permission denied/);
    asBo("del", eventKey(id, seq));
  });

  it("takes none in the place of the last, which no later event vouches for", () => {
    const young = ["--topic", "Which store?", "--session", "young", ...who];
    ana.done("init", [...young, "--store", "etcd:team", "--signed"]);
    const key = eventKey("young", 1);
    const stored = asBo("get", key, "--print-value-only").replace(/\n$/, "");
    const other = stored.replace("Which store?", "Whose store?");
    assert.notEqual(other, stored);
    const cy = new Laptop(makeBareRepository());
    settle(cy, "ana");
    const refused = (how: string) => {
      const ran = cy.run("join", ["young", "--store", "etcd:team"]);
      assert.deepEqual([ran.code, isOneLine(ran.stderr)], [2, true], `${how}: ${ran.stderr}`);
      assert.match(ran.stderr, /event 1 .* was not stored by a user .* as "claude"/);
      assert(!existsSync(cy.path("sessions", "young")), how);
    };
    asBo("put", key, other);
    refused("changed");
    asBo("del", key);
    asBo("put", key, other);
    refused("made anew");
  });
});
