/** What can be wrong with a store is said in one line, and nothing is left behind. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { draft, isOneLine } from "../dialogue/project.ts";
import { EtcdCluster, nameCluster, noEtcd, type UserSettings } from "./etcd-cluster.ts";
import { git, makeBareRepository, setHook } from "./git-remote.ts";
import { Laptop } from "./laptop.ts";
import { checkFailed, checkNothingLeft } from "./sent-once.ts";

const id = "stores";
const who = ["--participant", "claude", "--participant", "gemini"];
const opening = ["--topic", "Which store?", "--session", id, ...who];
const fresh = () => new Laptop(makeBareRepository());

describe("a git remote", () => {
  const setUrl = (at: Laptop, url: string) => git(at.folder, "remote", "set-url", "origin", url);
  const nameless = /--store takes files, git, git:NAME, etcd or etcd:NAME; an address has its name/;
  type Case = [what: string, code: number, said: RegExp, args: string[], (at: Laptop) => unknown];
  const cases: Case[] = [
    [
      "that is not there",
      2,
      /no git remote "nowhere" \(there are: origin\)/,
      ["git:nowhere"],
      () => undefined,
    ],
    [
      "of a project that has none",
      2,
      /no git remote "origin" \(it has none\): add it with git remote add/,
      ["git"],
      (at) => git(at.folder, "remote", "remove", "origin"),
    ],
    ["of another kind", 2, nameless, ["s3"], () => undefined],
    [
      "named by its address",
      2,
      nameless,
      ["git:https://me:secret@example.org/x.git"],
      () => undefined,
    ],
    [
      "whose address runs a program",
      2,
      /no address for sessions/,
      ["git"],
      (at) => setUrl(at, "ext::sh -c id"),
    ],
    [
      "that is no repository",
      4,
      /is out of reach \(fatal: .*not appear to be a git repository/,
      ["git"],
      (at) => setUrl(at, "/dev/null/x.git"),
    ],
    [
      "that takes no such name",
      2,
      /no session whose name ends in \.lock/,
      ["git", "--session", "a.lock"],
      () => undefined,
    ],
    [
      "that takes nothing",
      4,
      /origin does not take refs\/consulta\/stores \(\[remote rejected\] \(pre-receive hook declined\): remote: Only Ana pushes here\. *\); may you push there\?/,
      ["git"],
      (at) => {
        const say = "echo ====== >&2; echo Only Ana pushes here. >&2; exit 1";
        setHook(git(at.folder, "remote", "get-url", "origin"), "pre-receive", say);
      },
    ],
  ];
  for (const [what, code, said, args, make] of cases)
    it(what, () => {
      const at = fresh();
      make(at);
      const ran = at.run("init", [...opening, "--store", ...args]);
      checkFailed(ran, { code, said });
      assert(!ran.stderr.includes("secret"));
      checkNothingLeft(at, id);
    });

  it("that has the session already says how to join it, and what there is", () => {
    const host = makeBareRepository();
    const [ana, bo] = [new Laptop(host), new Laptop(host)];
    ana.done("init", [...opening, "--store", "git"]);
    const taken =
      /session stores is on origin already: choose another --session, or join it: node \S+join\.cjs stores\n/;
    checkFailed(bo.run("init", [...opening, "--store", "git"]), { code: 3, said: taken });
    const gone = /no session storse on origin; .*stores/;
    checkFailed(bo.run("join", ["storse"]), { code: 2, said: gone });
  });

  it("without git is needed by who sends alone", () => {
    const host = makeBareRepository();
    const at = new Laptop(host);
    at.done("init", [...opening, "--store", "git"]);
    const env = { PATH: "/nonexistent" };
    const message = JSON.stringify(draft("REQUEST", "Files or SQLite?", { position: undefined }));
    const append = ["--session", id, "--participant", "claude", "--message", "-"];
    const sent = at.run("append-event", append, message, { env });
    checkFailed(sent, { code: 2, said: /^error: there is no git on PATH, .*: install git\n/ });
    for (const script of ["report", "status"]) {
      const { code, stderr } = at.run(script, ["--session", id], "", { env });
      assert.equal(code, 0, `${script}: ${stderr}`);
      assert.match(stderr, /^note: there is no git on PATH, .*; here it stands at event 1\n/);
    }
    at.done("append-event", append, message);
    assert.match(at.done("append-event", append, message), /already sent as seq 2/);
    assert.equal(git(host, "rev-list", "--count", `refs/consulta/${id}`), "2");
  });

  for (const [where, key] of [
    ["to nothing", "0".repeat(32)],
    ["out of the home's own folder, to an entry of the clone", "../../project/evil"],
  ] as const)
    it(`that a mark from a clone names leads nowhere: ${where}`, () => {
      const at = fresh();
      at.done("init", opening);
      const folder = at.path("sessions", id);
      const entry = { store: "git", session: id, remote: "origin", project: at.folder, folder };
      mkdirSync(join(at.folder, "evil"), { mode: 0o700 });
      const text = JSON.stringify({ ...entry, ref: `refs/consulta/${id}`, isSigned: false });
      writeFileSync(join(at.folder, "evil", "entry.json"), text, { mode: 0o600 });
      writeFileSync(join(folder, ".store"), JSON.stringify({ store: "git", key }));
      const said = /your home does not know where: move the folder away and join the session again/;
      checkFailed(at.next(id, "claude"), { code: 2, said });
    });

  for (const more of [[], ["--session", id]])
    it(`is asked before a turn is given, which another of that name may have taken: ${more.join(" ")}`, () => {
      const host = makeBareRepository();
      const [ana, bo, other] = [new Laptop(host), new Laptop(host), new Laptop(host)];
      ana.done("init", [...opening, "--store", "git"]);
      ana.say(id, "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
      for (const at of [bo, other]) at.done("join", [id]);
      bo.say(id, "gemini", draft("RESPONSE", "Files.", { position: "Files." }));
      const wait = ["--participant", "gemini", "--timeout", "1"];
      const { code, stdout, stderr } = other.run("wait-for-turn", [...wait, ...more]);
      assert.deepEqual([code, stdout], [1, ""], stderr);
    });

  it("of SHA-256 holds sessions, also while nothing else is in it and from a clone of SHA-1", () => {
    const host = `${makeBareRepository()}-256`;
    git(".", "init", "--quiet", "--bare", "--object-format=sha256", host);
    const [ana, bo] = [fresh(), fresh()];
    for (const at of [ana, bo]) setUrl(at, host);
    ana.done("init", [...opening, "--store", "git"]);
    bo.done("join", [id]);
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    assert.match(bo.next(id, "gemini").stdout, /Files or SQLite\?/);
    bo.say(id, "gemini", draft("RESPONSE", "Files.", { position: "Files." }));
    assert.match(ana.done("validate", ["--session", id]), /^validation passed/);
    assert.match(git(host, "rev-parse", `refs/consulta/${id}`), /^[0-9a-f]{64}$/);
  });
});

describe("a cluster of etcd", { skip: noEtcd }, () => {
  let cluster: EtcdCluster;
  before(async () => {
    cluster = await EtcdCluster.start({ members: 3, tls: true });
    cluster.authenticate("ana", "bo");
  });
  after(() => cluster.stop());

  type Settings = Omit<UserSettings, "endpoints"> & Partial<UserSettings>;
  const settle = (at: Laptop, settings: Settings) =>
    nameCluster(at.home, { endpoints: cluster.endpoints, ...settings });
  const as = (user: string) => ({ user, password: `${user}-secret`, ca: cluster.ca });
  const cases: [what: string, settings: () => Settings, code: 2 | 4, said: RegExp][] = [
    [
      "a wrong password",
      () => ({ ...as("ana"), password: "guessed" }),
      2,
      /^error: team does not let you \(.*authentication failed.*as ana\): check stores\.team in/,
    ],
    [
      "a user without the right",
      () => as("eve"),
      2,
      /^error: team does not let you \(.*permission denied.*as eve\)/,
    ],
    [
      "nobody signed in",
      () => ({ ca: cluster.ca }),
      2,
      /^error: team does not let you \(.*user name is empty.*nobody is signed in\)/,
    ],
    [
      "a CA that nobody named",
      () => ({ user: "ana", password: "ana-secret" }),
      2,
      /^error: the certificate of https:\S+ is not trusted \(\w+\): name the file of who signed it as ca/,
    ],
    [
      "an address that the certificate does not name",
      () => ({
        ...as("ana"),
        endpoints: [cluster.endpoints[0]?.replace("127.0.0.1", "localhost") ?? ""],
      }),
      2,
      /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\): check the address/,
    ],
    [
      "a password that others may read",
      () => ({ ...as("ana"), passwordMode: 0o644 }),
      2,
      /^error: \S+team\.password may be .* by others \(mode \d+\), and it holds a password/,
    ],
    [
      "no password in the file that is named",
      () => ({ user: "ana", ca: cluster.ca }),
      2,
      /^error: stores\.team in \S+: password_file team\.password is missing, which is to hold the password; correct it/,
    ],
    [
      "no certificate in the file that is named",
      () => ({ ...as("ana"), ca: `${cluster.ca}.gone` }),
      2,
      /^error: stores\.team in \S+: ca \S+\.gone is missing, which is to hold certificates; correct it/,
    ],
    [
      "no member that answers",
      () => ({ ...as("ana"), endpoints: ["https://127.0.0.1:9"] }),
      4,
      /^error: team is out of reach \(https:\/\/127\.0\.0\.1:9: ECONNREFUSED\); run the same command again/,
    ],
    [
      "an address without TLS",
      () => ({ ...as("ana"), endpoints: ["http://etcd.example.org:2379"] }),
      2,
      /expected such as https:\/\/HOST:2379; http for this machine only/,
    ],
  ];
  for (const [what, settings, code, said] of cases)
    it(`with ${what}`, () => {
      const at = fresh();
      settle(at, settings());
      const ran = at.run("init", [...opening, "--store", "etcd:team"]);
      checkFailed(ran, { code, said });
      assert(!ran.stderr.includes("guessed") && !ran.stderr.includes("-secret"));
      checkNothingLeft(at, id);
    });

  it("is verified also where the environment turns that off for Node", () => {
    const at = fresh();
    settle(at, { user: "ana", password: "ana-secret" });
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const ran = at.run("init", [...opening, "--store", "etcd:team"], "", { env });
    assert.match(ran.stderr, /is not trusted .*as ca under/);
  });

  it("goes on while a member is gone, and proves what nobody has to read again", async () => {
    const [ana, bo] = [fresh(), fresh()];
    settle(ana, as("ana"));
    settle(bo, as("bo"));
    ana.done("init", [...opening, "--store", "etcd:team"]);
    bo.done("join", [id, "--store", "etcd:team"]);
    await cluster.killMember(2);
    ana.say(id, "claude", draft("REQUEST", "Files or SQLite?", { position: undefined }));
    assert.match(bo.next(id, "gemini").stdout, /Files or SQLite\?/);
    cluster.startMember(2);
    const first = ["--user", "root:root-secret", "put", `consulta/events/${id}/000000000001`];
    cluster.etcdctlWith(bo.log(id).split("\n")[0]?.replace("store?", "shop?") ?? "", ...first);
    const proved = bo.run("validate", ["--session", id]);
    assert.deepEqual([proved.code, isOneLine(proved.stdout)], [2, false]);
    const said = /history was rewritten|is not what session stores/;
    assert.match(proved.stdout + proved.stderr, said);
  });
});
