/** Who gets something of `view`, and who gets nothing. */
import "../brain/own-home.ts";
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { draft, Project, scriptPath } from "../dialogue/project.ts";
import { removeFolder } from "../scratch-folder.ts";

const project = new Project();
let child: ChildProcess;
let [port, token, cookie] = [0, "", ""];

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** One request as any program can make it; `Host` and `Origin` are right unless given. */
async function ask(
  path: string,
  { method = "GET", headers = {}, body }: Asking = {},
): Promise<Answer> {
  const own = { host: `127.0.0.1:${port}`, ...headers };
  const asking = request({ host: "127.0.0.1", port, path, method, headers: own, setHost: false });
  asking.end(body);
  const [answer] = await once(asking, "response");
  let text = "";
  for await (const part of answer) text += part;
  return { status: answer.statusCode, headers: answer.headers, text };
}

const write = (path: string, body: object, headers: Record<string, string> = {}) =>
  ask(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { origin: `http://127.0.0.1:${port}`, "content-type": "application/json", ...headers },
  });

const pause = { key: "0:talk", verb: "pause", id: "one" };

/** The first news of a session that a page gets which knows it up to an event. */
async function firstNews(lastId: string) {
  const headers = {
    host: `127.0.0.1:${port}`,
    cookie,
    ...(lastId === "" ? {} : { "last-event-id": lastId }),
  };
  const path = "/api/stream?key=0:talk";
  const asking = request({ host: "127.0.0.1", port, path, headers, setHost: false });
  asking.end();
  const [answer] = await once(asking, "response");
  let text = "";
  for await (const part of answer) {
    text += part;
    const [, id = "", data = ""] = /id: (\d+)\nevent: session\ndata: (.*)\n\n/.exec(text) ?? [];
    if (id !== "") return { id, model: JSON.parse(data) };
  }
  return assert.fail("the stream ended");
}

before(async () => {
  project.open("talk");
  project.say("talk", "claude", draft("REQUEST", "Files?"));
  child = spawn(process.execPath, [scriptPath("view")], { cwd: project.folder });
  const [printed] = await once(child.stdout ?? assert.fail(), "data");
  const [, at = "", word = ""] =
    /^http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]{43})\n$/.exec(String(printed)) ?? [];
  [port, token] = [Number(at), word];
});

after(async () => {
  child.kill("SIGINT");
  await once(child, "close");
  assert.equal(child.exitCode, 130);
  removeFolder(project.folder);
});

describe("the entrance of view", () => {
  it("lets the token in once, and gives a cookie that no script and no other site can use", async () => {
    assert.equal((await write("/enter", { token: `${token.slice(1)}x` })).status, 403);
    const entered = await write("/enter", { token });
    assert.equal(entered.status, 200);
    const [given = ""] = entered.headers["set-cookie"] ?? [];
    assert.match(given, /^consulta-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    cookie = given.split(";")[0] ?? "";
    const again = await write("/enter", { token });
    assert.equal(again.status, 403);
    assert.match(again.text, /used already/);
  });

  it("tells nothing to whoever has no cookie, or another", async () => {
    for (const path of [
      "/api/session?key=0:talk",
      "/api/stream",
      "/api/brain",
      "/api/body?key=0:talk&seq=2",
    ])
      for (const headers of [{}, { cookie: "consulta=1" }, { cookie: `${cookie}x` }]) {
        const { status, text } = await ask(path, { headers });
        assert.equal(status, 403, path);
        assert.doesNotMatch(text, /Files|talk/);
      }
    assert.equal((await write("/api/act", pause)).status, 403);
    assert.equal((await ask("/api/session?key=0:talk", { headers: { cookie } })).status, 200);
  });

  it("tells nothing to a second user of the machine", { skip: process.getuid?.() !== 0 }, () => {
    const program = `fetch("http://127.0.0.1:${port}/api/session?key=0:talk").then((it) => process.exit(it.status - 400))`;
    const { status } = spawnSync(process.execPath, ["-e", program], { uid: 65_534, cwd: "/" });
    assert.equal(status, 3);
  });

  it("answers to its address alone", async () => {
    for (const host of [`localhost:${port}`, `evil.example:${port}`, "127.0.0.1", ""]) {
      const { status, text } = await ask("/", { headers: { host, cookie } });
      assert.deepEqual([status, /<div/.test(text)], [403, false], host);
    }
  });

  it("takes writes of its own page alone", async () => {
    const refused: [headers: Record<string, string>, status: number][] = [
      [{ origin: "http://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin: `http://127.0.0.1:${port + 1}` }, 403],
      [{ origin: `https://127.0.0.1:${port}` }, 403],
      [{ "content-type": "text/plain" }, 400],
    ];
    const before = project.events("talk").length;
    for (const [headers, status] of refused)
      assert.equal((await write("/api/act", pause, { cookie, ...headers })).status, status);
    const bare = { method: "POST", headers: { cookie }, body: JSON.stringify(pause) };
    assert.equal((await ask("/api/act", bare)).status, 403);
    assert.equal(project.events("talk").length, before);
  });

  it("does an act once, however often it comes, and says what it rejects", async () => {
    const ours = { cookie };
    const say = { key: "0:talk", verb: "say", text: "Mind the disk.", id: "two" };
    const [first, second] = [
      await write("/api/act", say, ours),
      await write("/api/act", say, ours),
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
    ];
    for (const [body, reason] of rejected) {
      const { status, text } = await write("/api/act", body, ours);
      assert.deepEqual([status, reason.test(text)], [400, true], text);
    }
    const huge = await write("/api/act", { ...say, text: "x".repeat(1_200_000) }, ours);
    assert.deepEqual([huge.status, /bytes/.test(huge.text)], [400, true]);
    const broken = await ask("/api/act", {
      method: "POST",
      headers: { ...ours, origin: `http://127.0.0.1:${port}`, "content-type": "application/json" },
      body: "{",
    });
    assert.equal(broken.status, 400);
  });

  it("tells a page that comes back all that it missed, under the seq of the log", async () => {
    const first = await firstNews("");
    const { seq } = first.model;
    assert.equal(first.id, String(seq));
    const again = await firstNews(String(seq));
    assert.equal(again.model.seq, seq);
    project.say("talk", "gemini", draft("RESPONSE", "Said while nobody listened."));
    const missed = await firstNews(String(seq));
    assert(missed.model.seq > seq);
    assert.match(JSON.stringify(missed.model.items), /Said while nobody listened\./);
  });

  it("sends a policy under which nothing but its own files runs or loads", async () => {
    const { headers } = await ask("/");
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
    assert.equal((await ask("/../package.json", { headers: { cookie } })).status, 404);
    assert.equal((await ask("/api/nothing", { headers: { cookie } })).status, 404);
    assert.equal((await ask("/", { method: "DELETE", headers: { cookie } })).status, 405);
    const wrong = await ask("/api/session?key=0:talk&at=x", { headers: { cookie } });
    assert.match(wrong.text, /at is \\"x\\", expected a whole number/);
  });
});

describe("view", () => {
  it("says what is wrong with its options in one line", () => {
    const cases: [args: string[], code: number, reason: RegExp][] = [
      [["--port", String(port)], 4, /^error: port \d+ is in use; give another --port, or none/],
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
