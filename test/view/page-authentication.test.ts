/** Who gets something of `view`, and who gets nothing. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pageKeyName } from "../../scripts-src/view/page/model.ts";
import { draft, Project } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";
import { ViewClient } from "./view-client.ts";

const project = new Project();
let view: ViewClient;

const readPaths = [
  "/",
  "/view.js",
  "/view.css",
  "/api/queue",
  "/api/session?key=0:talk",
  "/api/stream",
  "/api/brain",
];
const pause = { key: "0:talk", verb: "pause", id: "one" };

before(async () => {
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Files?"));
  view = await ViewClient.start(project.folder);
});

after(async () => {
  assert.equal(await view.end(), 130);
  removeFolder(project.folder);
});

describe("the entrance of view", () => {
  it("takes the token from its own page alone", async () => {
    const { token, port } = view;
    const type = { "content-type": "application/json" };
    const own = { ...type, origin: `http://127.0.0.1:${port}` };
    const foreign: Record<string, string>[] = [
      { ...own, origin: "http://evil.example" },
      { ...own, origin: `http://localhost:${port}` },
      type,
      { ...own, host: `evil.example:${port}` },
    ];
    for (const headers of foreign) {
      const body = JSON.stringify({ token });
      const answer = await view.ask("/enter", { method: "POST", headers, body });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  it("lets the token in once, also after others tried, and gives a cookie that no script and no other site can use", async () => {
    const { token } = view;
    assert.equal((await view.write("/enter", { token: `${token.slice(1)}x` })).status, 403);
    const entered = await view.enter();
    assert.equal(entered.status, 200);
    const [given = ""] = entered.headers["set-cookie"] ?? [];
    assert.match(given, /^consulta-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    const again = await view.write("/enter", { token });
    assert.equal(again.status, 403);
    assert.match(again.text, /used already/);
  });

  it("tells nothing to whoever has no cookie, or another", async () => {
    const { cookie = "", [pageKeyName]: key = "" } = view.pass;
    const without: Record<string, string>[] = [
      {},
      { ...view.pass, cookie: "consulta=1" },
      { ...view.pass, cookie: `${cookie}x` },
      // The cookie alone, which a server at another port of this machine is sent as well.
      { cookie },
      { cookie, [pageKeyName]: `${key}x` },
      { [pageKeyName]: key },
    ];
    for (const path of readPaths.filter((it) => it.startsWith("/api/")))
      for (const headers of without) {
        const { status, text } = await view.ask(path, { headers });
        assert.equal(status, 403, path);
        assert.doesNotMatch(text, /Files|talk/);
      }
    for (const headers of without)
      assert.equal((await view.write("/api/act", pause, headers)).status, 403);
    // A cookie of the same name that another server of the machine has set does not shut the page.
    const tossed = `consulta-${view.port}=x; ${cookie}`;
    const both = { headers: { ...view.pass, cookie: tossed } };
    assert.equal((await view.ask("/api/session?key=0:talk", both)).status, 200);
    assert.equal((await view.ask("/api/session?key=0:talk", { headers: view.pass })).status, 200);
  });

  it("tells nothing to a second user of the machine", { skip: process.getuid?.() !== 0 }, () => {
    const program = `fetch("http://127.0.0.1:${view.port}/api/session?key=0:talk").then((it) => process.exit(it.status - 400))`;
    const { status } = spawnSync(process.execPath, ["-e", program], { uid: 65_534, cwd: "/" });
    assert.equal(status, 3);
  });

  it("answers to its address alone, whatever is asked for", { timeout: 60_000 }, async () => {
    const wrong = [`localhost:${view.port}`, `evil.example:${view.port}`, "127.0.0.1", ""];
    const error = `this page is only served as http://127.0.0.1:${view.port}`;
    const before = project.events("talk").length;
    for (const host of wrong) {
      const headers = { ...view.pass, host };
      for (const path of readPaths) {
        const { status, text } = await view.ask(path, { headers });
        assert.deepEqual([status, text], [403, JSON.stringify({ error })], `${host} ${path}`);
      }
      for (const [path, body] of [
        ["/enter", { token: view.token }],
        ["/api/act", pause],
      ] as const) {
        const { status, text } = await view.write(path, body, headers);
        assert.deepEqual([status, text], [403, JSON.stringify({ error })], `${host} ${path}`);
      }
    }
    assert.equal(project.events("talk").length, before);
  });

  it("listens on the loopback address alone", { skip: process.platform !== "linux" }, () => {
    const port = view.port.toString(16).toUpperCase().padStart(4, "0");
    assert.deepEqual(listenersOf(view.pid), [`0100007F:${port}`]);
  });

  it("takes writes of its own page alone", async () => {
    const refused: [headers: Record<string, string>, status: number][] = [
      [{ origin: "http://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: `http://127.0.0.1:${view.port + 1}` }, 403],
      [{ origin: `https://127.0.0.1:${view.port}` }, 403],
      [{ "content-type": "text/plain" }, 400],
    ];
    const before = project.events("talk").length;
    for (const [headers, status] of refused)
      assert.equal(
        (await view.write("/api/act", pause, { ...view.pass, ...headers })).status,
        status,
      );
    const bare = { method: "POST", headers: view.pass, body: JSON.stringify(pause) };
    assert.equal((await view.ask("/api/act", bare)).status, 403);
    assert.equal(project.events("talk").length, before);
  });

  it("does an act once, however often it comes, and says what it rejects", async () => {
    const ours = view.pass;
    const say = { key: "0:talk", verb: "say", text: "Mind the disk.", id: "two" };
    const [first, second] = [
      await view.write("/api/act", say, ours),
      await view.write("/api/act", say, ours),
    ];
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.equal(JSON.parse(second.text).repeated, true);
    assert.equal(project.events("talk").filter(({ event }) => event === "said").length, 1);
    const rejected: [body: object, reason: RegExp][] = [
      [{ ...say, verb: "shout" }, /is no act; there are say, answer/],
      [{ ...say, key: "0:nobody" }, /no session/],
      [{ ...say, key: "0:../../etc" }, /no session/],
      [{ ...say, text: "x".repeat(200_000), id: "three" }, /characters/],
      [{ verb: "say" }, /expected \{key, verb, text, to, id\}/],
      [{ key: "0:talk", verb: "decide", text: "Yes", id: "four" }, /is open/],
      [{ key: "0:talk", verb: "answer", id: "five" }, /the answer has 0 characters/],
      [{ key: "0:talk", verb: "decide", id: "six" }, /is open/],
    ];
    for (const [body, reason] of rejected) {
      const { status, text } = await view.write("/api/act", body, ours);
      assert.deepEqual([status, reason.test(text)], [400, true], text);
    }
    const huge = await view.write("/api/act", { ...say, text: "x".repeat(1_200_000) }, ours);
    assert.deepEqual([huge.status, /bytes/.test(huge.text)], [400, true]);
    const broken = await view.ask("/api/act", {
      method: "POST",
      headers: {
        ...ours,
        origin: `http://127.0.0.1:${view.port}`,
        "content-type": "application/json",
      },
      body: "{",
    });
    assert.equal(broken.status, 400);
  });

  it("sends a policy under which nothing but its own files runs or loads", async () => {
    const { headers } = await view.ask("/");
    assert.equal(
      headers["content-security-policy"],
      "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'self'; " +
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["access-control-allow-origin"], undefined);
  });

  it("knows no other paths and ways", async () => {
    assert.equal((await view.ask("//")).status, 404);
    assert.equal((await view.ask("/../package.json", { headers: view.pass })).status, 404);
    assert.equal((await view.ask("/api/nothing", { headers: view.pass })).status, 404);
    assert.equal((await view.ask("/", { method: "DELETE", headers: view.pass })).status, 405);
    const wrong = await view.ask("/api/session?key=0:talk&at=x", {
      headers: view.pass,
    });
    assert.match(wrong.text, /at is \\"x\\", expected a number from 0/);
  });
});

describe("view", () => {
  it("says what is wrong with its options in one line", () => {
    const cases: [args: string[], code: number, reason: RegExp][] = [
      [
        ["--port", String(view.port)],
        4,
        /^error: port \d+ is in use; give another --port, or none/,
      ],
      [["--port", "70000"], 2, /expected 1 to 65535/],
      [["--session", "nobody"], 2, /no session nobody in what is shown; there are: talk/],
      [["--workspace", "/nowhere"], 2, /nowhere/],
    ];
    for (const [args, code, reason] of cases) {
      const ran = project.run("view", args, "", { timeout: 60_000 });
      assert.deepEqual([ran.code, ran.stdout], [code, ""], ran.stderr);
      assert.match(ran.stderr, reason);
    }
  });
});

/** The addresses where a process listens, as the kernel of Linux writes them. */
function listenersOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const open = new Set(readdirSync(folder).map((it) => linkOf(join(folder, it))));
  const rows = ["tcp", "tcp6"]
    .map((it) => `/proc/net/${it}`)
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, "utf8").trim().split("\n").slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === "0A" && open.has(`socket:[${inode}]`))
    .map(([, local = ""]) => local);
}

/** A descriptor may be closed while all of them are read. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
