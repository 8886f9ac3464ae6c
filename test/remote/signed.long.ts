/** Sessions in which each event proves who wrote it: by a key of git, or by a user of the cluster. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { chainedLine } from "../../scripts-src/log/log-line.ts";
import { besideSession, eventKey, senderKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { draft } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { forge } from "./forged-commit.ts";
import { git, gitWith, makeBareRepository } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { checkFailed } from "./sent-once.ts";

const id = "stores";
const on = ["--session", id];
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", ...on, ...who];
const gates = ["--objective", "Agree", "--completion", "Agreed", ...who, "--session", "sync"];
const ownWord = /Your user's own word, put on record by a script of theirs\.\n\| Keep it short\./;

/** A remote of git is what `join` takes unless told; `init` is told. */
const beginOn = (store: string[]) => (store.length === 0 ? ["--store", "git"] : store);

/** A session of both, once it may begin: gone on with as any other, and told with its proof. */
function checkTalk(ana: Laptop, bo: Laptop, store: string[], proof: RegExp): void {
  const begun = ana.done("init", [...opening, ...beginOn(store), "--signed"]);
  assert.match(begun, /\nnode \S+join\.cjs stores (?:--store etcd:team )?--signed\n$/);
  bo.done("join", [id, "--participant", "gemini", ...store, "--signed"]);
  ana.say(id, "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
  bo.next(id, "gemini");
  bo.say(id, "gemini", draft("RESPONSE", "Files, they can be read.", { position: "files" }));
  ana.next(id, "claude");
  for (const at of [ana, bo]) {
    assert.match(at.done("validate", on), /^validation passed/);
    assert.match(at.done("report", on), proof);
  }
  assert.equal(ana.log(id), bo.log(id));
}

/** What the user says in both kinds of sessions: Ana's machine may speak for them, Bo's not. */
function checkWords(ana: Laptop, bo: Laptop, store: string[], refused: RegExp): void {
  ana.done("init", [...gates, ...beginOn(store), "--signed"]);
  bo.done("join", ["sync", ...store, "--signed"]);
  for (const session of [id, "sync"]) {
    const say = ["say", "Keep it short.", "--session", session];
    checkFailed(bo.run("step-in", say), { code: 2, said: refused });
    ana.done("step-in", say);
    assert.match(bo.next(session, "gemini").stdout, ownWord);
  }
}

/** The log is not as its rules want it: nothing of that comes into it. */
function checkRejected(at: Laptop, said: RegExp): string {
  const before = at.log(id);
  const { code, stdout, stderr } = at.run("validate", on);
  assert.equal(code, 2);
  assert.match(stdout + stderr, said);
  assert.equal(at.log(id), before);
  return stdout + stderr;
}

describe("a session on a git remote whose events are signed", () => {
  const ref = `refs/consulta/${id}`;
  let host: string;
  let ana: Laptop;
  let bo: Laptop;
  const set = (at: Laptop, key: string) =>
    writeFileSync(join(at.home, ".gitconfig"), `[user]\n\tsigningkey = ${key}\n`);
  /** Makes a key, and has git sign with it; gives its public part. */
  const key = (at: Laptop) => {
    const file = join(at.home, ".ssh", "id_ed25519");
    mkdirSync(join(at.home, ".ssh"), { mode: 0o700 });
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
    set(at, "~/.ssh/id_ed25519.pub");
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

  const refusals: [what: string, make: () => void, said: RegExp][] = [
    [
      "nobody has said who may sign for whom",
      () => undefined,
      /the events of this session are signed, and ~\/\.consulta\/allowed_signers is missing: write a line/,
    ],
    [
      "the key is another's",
      () => allow(ana, `claude ${keys.bo}`),
      /does not let \S+id_ed25519\.pub sign for "claude"; add the line: claude KEY, as in docs\/machines\.md; each participant has to have it on their machine first, .* an agent asks its user\n/,
    ],
    [
      "the key is no longer valid",
      () => allow(ana, `claude valid-before="20200101" ${keys.ana}`),
      /does not let \S+id_ed25519\.pub sign for "claude"/,
    ],
    [
      "others may write the file that says who may sign",
      () => chmodSync(allow(ana, ...signers), 0o622),
      /allowed_signers may be written by others .* chmod go-w/,
    ],
    [
      "git has no key to sign with",
      () => {
        chmodSync(allow(ana, ...signers), 0o600);
        set(ana, "ABCDEF");
      },
      /git has no ssh key of yours to sign with: git config --global gpg\.format ssh; git config/,
    ],
    [
      "the key that git names is missing",
      () => set(ana, "~/.ssh/gone.pub"),
      /signed, and user\.signingkey of git names \/\S+\/\.ssh\/gone\.pub, which is missing: git config/,
    ],
  ];
  for (const [what, make, said] of refusals)
    it(`does not begin where ${what}`, () => {
      make();
      const ran = ana.run("init", [...opening, "--store", "git", "--signed"]);
      checkFailed(ran, { code: 2, said });
      assert.equal(git(host, "for-each-ref"), "");
      assert(!existsSync(ana.path("sessions", id)), "nothing began");
    });

  it("is gone on with as any other; each commit shows whose it is", () => {
    const [file] = [ana, bo].map((at) => allow(at, ...signers));
    // By its private part, as by its public one.
    set(ana, "~/.ssh/id_ed25519");
    checkTalk(ana, bo, [], /each event is signed by a key/);
    const allowed = ["-c", `gpg.ssh.allowedSignersFile=${file}`];
    const shown = git(host, ...allowed, "log", "--format=%G? %GS %an", ref).split("\n");
    assert.deepEqual([...new Set(shown)].sort(), ["G claude claude", "G gemini gemini"]);
  });

  it("says what a user says only with a key that may speak for them", () => {
    checkWords(ana, bo, [], /does not let \S+ sign for "user"/);
    // What is not signed stops the session, though the rest of it is sound.
    const beside = "refs/consulta/_person/sync/log";
    const line = git(host, "log", "-1", "--format=%B", beside);
    const { seq, prev: _, ...event } = JSON.parse(line);
    const next = { ...event, seq: seq + 1, from: "user", event: "resumed" };
    const words = ["commit-tree", `${beside}^{tree}`, "-p", beside, "-F", "-"];
    const commit = gitWith(host, `${chainedLine(next, Buffer.from(line))}\n`, ...words);
    git(host, "update-ref", beside, commit);
    const said = /is not signed, and this session's events are/;
    checkFailed(bo.next("sync", "gemini"), { code: 2, said });
  });

  it("takes no event without a signature, nor one that another's key signed", () => {
    const tip = git(host, "rev-parse", ref);
    forge(host, id, { from: "gemini", event: "message" });
    checkRejected(ana, /commit \w+ is not signed, and this session's events are/);
    git(host, "update-ref", ref, tip);
    // Bo's own file says that he may sign for everybody: his word alone.
    allow(bo, `claude,gemini,user ${keys.bo}`, `claude,user ${keys.ana}`);
    bo.done("step-in", ["say", "Decide for files.", ...on]);
    const signedBy =
      /commit \w+ is not signed by a key that ~\/\.consulta\/allowed_signers has for "user"/;
    const told = checkRejected(ana, signedBy);
    const listed = execFileSync("ssh-keygen", ["-lf", join(bo.home, ".ssh", "id_ed25519.pub")]);
    const fingerprint = String(listed).split(" ")[1];
    assert(told.includes(`; ask your user to compare ${fingerprint} with the sender`), told);
    git(host, "update-ref", ref, tip);
  });

  it("is not joined as one that is signed where it is not", () => {
    ana.done("init", ["--topic", "Other", "--session", "plain", ...who, "--store", "git"]);
    const said = /is not signed, and this session's events are/;
    checkFailed(bo.run("join", ["plain", "--signed"]), { code: 2, said });
    assert.match(bo.done("join", ["plain"]), /^joined: session plain/);
    const here = /a session plain is here already, and it is not signed: move /;
    checkFailed(bo.run("join", ["plain", "--signed"]), { code: 2, said: here });
  });
});

describe("a session on a cluster that sees to who writes as whom", { skip: noEtcd }, () => {
  const store = ["--store", "etcd:team"];
  let cluster: EtcdCluster;
  let ana: Laptop;
  let bo: Laptop;
  const root = (...words: string[]) => cluster.etcdctl("--user", "root:root-secret", ...words);
  const asBo = (...words: string[]) => cluster.etcdctl("--user", "bo:bo-secret", ...words);
  const settle = (at: Laptop, user: string) => {
    nameCluster(at.home, { endpoints: cluster.endpoints, user, password: `${user}-secret` });
    return at;
  };
  before(async () => {
    cluster = await EtcdCluster.start();
    const may = (role: string, right: string, ...below: string[]) => {
      for (const part of below)
        cluster.etcdctl(
          ...["role", "grant-permission", role, "--prefix=true", right, `consulta/${part}`],
        );
    };
    cluster.etcdctl("user", "add", "root:root-secret");
    cluster.etcdctl("user", "grant-role", "root", "root");
    // As docs/machines.md says.
    cluster.etcdctl("role", "add", "consulta");
    may("consulta", "readwrite", "sessions/", "events/", "documents/", "senders/consulta/");
    may("consulta", "read", "senders/");
    for (const [user, ...names] of [
      ["ana", "claude", "user"],
      ["bo", "gemini"],
    ] as const) {
      cluster.etcdctl("role", "add", user);
      may(user, "readwrite", ...names.map((name) => `senders/${name}/`));
      cluster.etcdctl("user", "add", `${user}:${user}-secret`);
      for (const role of ["consulta", user]) cluster.etcdctl("user", "grant-role", user, role);
    }
    cluster.etcdctl("auth", "enable");
    const host = makeBareRepository();
    [ana, bo] = [settle(new Laptop(host), "ana"), settle(new Laptop(host), "bo")];
  });
  after(() => cluster.stop());

  it("is neither begun nor joined by whom the cluster lets write as anybody", () => {
    const begin = [...opening, "--session", "wide", ...store, "--signed"];
    const said = /^error: team lets you write as anybody, so nothing would prove who wrote/;
    const grant = () =>
      root("role", "grant-permission", "consulta", "--prefix=true", "readwrite", "consulta/");
    const revoke = () =>
      root("role", "revoke-permission", "consulta", "--prefix=true", "consulta/");
    const keys = () => root("get", "--prefix", "--keys-only", "consulta/");
    const before = keys();
    grant();
    checkFailed(ana.run("init", begin), { code: 2, said });
    assert.equal(keys(), before);
    revoke();
    ana.done("init", begin);
    grant();
    checkFailed(bo.run("join", ["wide", ...store, "--signed"]), { code: 2, said });
    assert(!existsSync(bo.path("sessions", "wide")));
    revoke();
    bo.done("join", ["wide", ...store, "--signed"]);
    ana.done("close", ["--session", "wide", "--reason", "Enough."]);
  });

  it("is gone on with as any other; the report says what the cluster saw to", () => {
    checkTalk(ana, bo, store, /a user of the cluster whom it lets write/);
  });

  it("takes from each user only what is said in their own name", () => {
    const said =
      /^error: team does not let you \(.*permission denied; as bo\).*write below consulta\/senders\/user\/\S*: this session is signed/;
    checkWords(ana, bo, store, said);
    // What its sender's user did not store stops the session, though the rest of it is sound.
    const beside = besideSession("sync");
    const below = eventKey(beside, 1).slice(0, -12);
    const lines = asBo("get", below, "--prefix", "--print-value-only").trim().split("\n");
    const seq = lines.length + 1;
    const last = lines.at(-1) ?? "";
    const { prev: _, ...event } = JSON.parse(last);
    const forged = { ...event, seq, from: "user", event: "resumed" };
    asBo("put", eventKey(beside, seq), chainedLine(forged, Buffer.from(last)));
    const stored = /was not stored by a user of the cluster who may write as "user"/;
    checkFailed(bo.next("sync", "gemini"), { code: 2, said: stored });
    asBo("del", eventKey(beside, seq));
  });

  it("takes no event that its sender's user did not store", () => {
    ana.done("validate", on);
    const lines = ana.log(id).trim().split("\n");
    const seq = lines.length + 1;
    const event = { seq, from: "claude", event: "message", at: "2026-01-01T00:00:00.000Z" };
    const line = chainedLine({ ...event, summary: "I give in." }, Buffer.from(lines.at(-1) ?? ""));
    asBo("put", eventKey(id, seq), line);
    const said =
      /event \d+ of session stores on team was not stored by a user of the cluster who may write as "claude"/;
    checkRejected(ana, said);
    assert.throws(() => asBo("put", senderKey(id, "claude", seq), ""), /permission denied/);
    asBo("del", eventKey(id, seq));
  });

  it("takes none in the place of the last, which no later event vouches for", () => {
    ana.done("init", [
      "--topic",
      "Which store?",
      "--session",
      "young",
      ...who,
      ...store,
      "--signed",
    ]);
    const key = eventKey("young", 1);
    const stored = asBo("get", key, "--print-value-only").replace(/\n$/, "");
    const cy = settle(new Laptop(makeBareRepository()), "ana");
    const said = /event 1 .* was not stored by a user .* as "claude"/;
    for (const isMadeAnew of [false, true]) {
      if (isMadeAnew) asBo("del", key);
      asBo("put", key, stored.replace("Which store?", "Whose store?"));
      checkFailed(cy.run("join", ["young", ...store]), { code: 2, said });
      assert(!existsSync(cy.path("sessions", "young")));
    }
  });
});
