import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type Handler, RpcPeer } from "../../../scripts-src/brain/rpc-peer.ts";
import { readFrame } from "../../../scripts-src/brain/rules/json-rpc.ts";
import { RpcFailure, rpcFailure } from "../../../scripts-src/brain/rules/rpc-errors.ts";

const listed = (params: unknown): number[] => (Array.isArray(params) ? params : []);

/** The methods that the examples of the specification call, and a few that misbehave. */
const handlers = new Map<string, Handler>([
  [
    "subtract",
    (params) => {
      const { minuend, subtrahend } = Object(params);
      const [one = minuend, other = subtrahend] = listed(params);
      return one - other;
    },
  ],
  ["sum", (params) => listed(params).reduce((sum, number) => sum + number, 0)],
  ["get_data", () => ["hello", 5]],
  ["update", () => "nobody hears this"],
  ["notify_hello", () => "nor this"],
  ["nothing", () => undefined],
  ["echo", (params) => params],
  ["slow", () => sleep(50, "slow")],
  [
    "refuse",
    () => {
      throw rpcFailure("BUSY", "not now", { until: 5 });
    },
  ],
  [
    "break",
    () => {
      throw new Error("a secret path");
    },
  ],
]);

/** One end, and what it sends to the other. */
function makeEnd() {
  const sent: Record<string, unknown>[] = [];
  const notes: string[] = [];
  const send = async (text: string) => void sent.push(JSON.parse(text));
  const peer = new RpcPeer({ handlers, send, note: (text) => notes.push(text) });
  /** What is sent for a frame. */
  const answersTo = async (frame: string) => {
    await peer.receive(readFrame(frame));
    return sent.splice(0);
  };
  return { peer, sent, notes, answersTo };
}

const error = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: "2.0",
  error: { code, message },
  id,
});
const result = (value: unknown, id: unknown) => ({ jsonrpc: "2.0", result: value, id });
const invalid = error(-32600, "Invalid Request");
const invalidOne = error(-32600, "Invalid Request", 1);
const unreadable = error(-32700, "Parse error");

/** The answers of the specification, to which ours only add a reason. */
function withoutReasons(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === "data" ? undefined : value));
}

type Example = [frame: string, answers: unknown[]];

/** https://www.jsonrpc.org/specification, section 7, in its order and word for word. */
const specification: Example[] = [
  ['{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', [result(19, 1)]],
  ['{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}', [result(-19, 2)]],
  [
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    [result(19, 3)],
  ],
  [
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    [result(19, 4)],
  ],
  ['{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', []],
  ['{"jsonrpc": "2.0", "method": "foobar"}', []],
  ['{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', [error(-32601, "Method not found", "1")]],
  ['{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', [unreadable]],
  ['{"jsonrpc": "2.0", "method": 1, "params": "bar"}', [invalid]],
  [
    '[\n  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},\n  {"jsonrpc": "2.0", "method"\n]',
    [unreadable],
  ],
  ["[]", [invalid]],
  ["[1]", [[invalid]]],
  ["[1,2,3]", [[invalid, invalid, invalid]]],
  [
    `[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]`,
    [
      [
        ...[result(7, "1"), result(19, "2"), invalid, error(-32601, "Method not found", "5")],
        result(["hello", 5], "9"),
      ],
    ],
  ],
  [
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    [],
  ],
];

const call = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields });
const sums = (count: number) => Array.from({ length: count }, (_, id) => ({ method: "sum", id }));
const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

/** What the specification implies, and what an attacker tries. */
const derived: [name: string, ...Example][] = [
  ["the id 0", call({ method: "sum", id: 0 }), [result(0, 0)]],
  ["an empty id", call({ method: "sum", id: "" }), [result(0, "")]],
  ["a fraction as id", call({ method: "sum", id: 1.5 }), [result(0, 1.5)]],
  ["a negative id", call({ method: "sum", id: -1 }), [result(0, -1)]],
  ["the id null", call({ method: "sum", id: null }), [invalid]],
  ["an id that is an object", call({ method: "sum", id: {} }), [invalid]],
  ["an id that is true", call({ method: "sum", id: true }), [invalid]],
  ["an id above all", '{"jsonrpc":"2.0","method":"sum","id":12345678901234567890}', [invalid]],
  ["an endless id", call({ method: "sum", id: "x".repeat(257) }), [invalid]],
  ["another version", '{"jsonrpc":"1.0","method":"sum","id":1}', [invalidOne]],
  ["no version", '{"method":"sum","id":1}', [invalidOne]],
  ["parameters that are null", call({ method: "sum", params: null, id: 1 }), [invalidOne]],
  ["parameters that are text", call({ method: "sum", params: "bar", id: 1 }), [invalidOne]],
  ["an invalid call without id", call({ method: "sum", params: 1 }), [invalid]],
  ["text alone", '"hello"', [invalid]],
  ["null alone", "null", [invalid]],
  ["nothing at all", "", [unreadable]],
  ["the same key twice", '{"jsonrpc":"2.0","method":"sum","method":"echo","id":1}', [unreadable]],
  ["nesting without end", deep, [unreadable]],
  ["nested parameters", `{"jsonrpc":"2.0","method":"echo","id":1,"params":${deep}}`, [unreadable]],
  ["no result", call({ method: "nothing", id: 1 }), [result(null, 1)]],
  ["__proto__", call({ method: "__proto__", id: 1 }), [error(-32601, "Method not found", 1)]],
  [
    "__proto__ as parameter",
    '{"jsonrpc":"2.0","method":"echo","id":1,"params":{"__proto__":{"a":1}}}',
    [JSON.parse('{"jsonrpc":"2.0","result":{"__proto__":{"a":1}},"id":1}')],
  ],
  ["a refusal", call({ method: "refuse", id: 1 }), [error(-32013, "Busy", 1)]],
  ["a refusal that nobody asked for", call({ method: "refuse" }), []],
  ["a bug", call({ method: "break", id: 1 }), [error(-32603, "Internal error", 1)]],
  ["a bug that nobody asked for", call({ method: "break" }), []],
  ["an answer to nothing", call({ result: 1, id: 77 }), []],
  ["an error to nothing", call({ error: { code: 1, message: "x" }, id: 77 }), []],
  ["an error about nothing", call({ error: { code: -32700, message: "x" }, id: null }), []],
  ["an answer and an error", call({ result: 1, error: { code: 1, message: "x" }, id: 1 }), []],
  ["a batch of answers", `[${call({ result: 1, id: 77 })},${call({ result: 2, id: 78 })}]`, []],
  ["a batch of one", `[${call({ method: "sum", id: 1 })}]`, [[result(0, 1)]]],
  [
    "equal ids in a batch: the first is answered",
    `[${call({ method: "sum", params: [1], id: 1 })},${call({ method: "sum", params: [2], id: 1 })}]`,
    [[result(1, 1), invalid]],
  ],
  [
    "a batch with slow ones, in its order",
    `[${call({ method: "slow", id: 1 })},${call({ method: "sum", id: 2 })}]`,
    [[result("slow", 1), result(0, 2)]],
  ],
  ["a batch of 64", `[${sums(64).map(call)}]`, [sums(64).map(({ id }) => result(0, id))]],
  ["a batch of 65", `[${sums(65).map(call)}]`, [invalid]],
];

describe("one end of a JSON-RPC conversation", () => {
  it("answers as the specification does, in all its examples", async () => {
    const { answersTo } = makeEnd();
    for (const [frame, answers] of specification)
      assert.deepEqual((await answersTo(frame)).map(withoutReasons), answers, frame);
  });

  for (const [name, frame, answers] of derived) {
    it(`answers rightly: ${name}`, async () => {
      assert.deepEqual((await makeEnd().answersTo(frame)).map(withoutReasons), answers);
    });
  }

  it("says what came and what was expected, and of a bug no more than that there is one", async () => {
    const { answersTo, notes } = makeEnd();
    const [answer] = await answersTo('{"jsonrpc":"2.0","method":7,"id":1}');
    const reason = "method is 7, expected a string";
    assert.deepEqual(Object(answer).error.data, { reason });
    const answers = await answersTo(call({ method: "break", id: 1 }));
    assert.doesNotMatch(JSON.stringify(answers), /secret/);
    assert(notes.some((note) => /break failed: Error: a secret path/.test(note)));
  });

  it("answers the first of two requests with one id, and refuses the second", async () => {
    const { peer, answersTo, sent } = makeEnd();
    const frame = readFrame(call({ method: "slow", id: "twice" }));
    await Promise.all([peer.receive(frame), peer.receive(frame)]);
    const [refusal, answer] = sent.splice(0);
    assert.deepEqual([withoutReasons(refusal), answer], [invalid, result("slow", "twice")]);
    assert.deepEqual(Object(refusal?.["error"]).data, { reason: "the id is in use", id: "twice" });
    assert.deepEqual(await answersTo(call({ method: "sum", id: "twice" })), [result(0, "twice")]);
  });

  it("takes no more than 64 requests at once", async () => {
    const { answersTo } = makeEnd();
    const calls = Array.from({ length: 70 }, (_, id) => answersTo(call({ method: "slow", id })));
    const answers = (await Promise.all(calls)).flat();
    const busy = answers.filter((answer) => Object(answer["error"]).code === -32013);
    assert.deepEqual([answers.length, busy.length], [70, 6]);
  });

  it("asks with ids of its own, whatever ids the other end uses", async () => {
    const { peer, sent, answersTo } = makeEnd();
    const asked = [peer.request("ask", { a: 1 }), peer.request("two")];
    const [question = {}, other = {}] = sent.splice(0);
    const { id } = question;
    assert.deepEqual(question, { jsonrpc: "2.0", method: "ask", params: { a: 1 }, id });
    // The same number, in the other direction, is another request.
    const batch = [
      { jsonrpc: "2.0", result: 2, id: other["id"] },
      { jsonrpc: "2.0", method: "sum", params: [3], id },
      { jsonrpc: "2.0", result: { accepted: true }, id },
    ];
    assert.deepEqual(await answersTo(JSON.stringify(batch)), [[result(3, id)]]);
    assert.deepEqual(await Promise.all(asked), [{ accepted: true }, 2]);
  });

  it("gives an error of the other end to who asked", async () => {
    const { peer, sent, answersTo } = makeEnd();
    const asked = peer.request("ask");
    const failure = { code: -32001, message: "no", data: { why: 1 } };
    await answersTo(call({ error: failure, id: sent[0]?.["id"] }));
    await assert.rejects(asked, (cause) => {
      assert(cause instanceof RpcFailure);
      assert.deepEqual(cause.error, failure);
      return true;
    });
  });

  it("gives up on an answer that does not come in time, and passes it over later", async () => {
    const { peer, sent, answersTo } = makeEnd();
    await assert.rejects(peer.request("ask", undefined, 20), /Timeout: ask got no answer/);
    const [{ id } = {}] = sent.splice(0);
    assert.deepEqual(await answersTo(call({ result: 1, id })), []);
  });

  it("sends a notification without id", async () => {
    const { peer, sent } = makeEnd();
    await peer.notify("alert.memory_full", { token_percentage: 91 });
    const params = { token_percentage: 91 };
    assert.deepEqual(sent, [{ jsonrpc: "2.0", method: "alert.memory_full", params }]);
  });

  it("fails all that waits when it is lost, and whatever is asked later", async () => {
    const { peer } = makeEnd();
    const asked = peer.request("ask");
    peer.close("the connection is closed");
    for (const each of [asked, peer.request("ask"), peer.notify("told")])
      await assert.rejects(each, /the connection is closed/);
    assert(peer.ended.aborted);
  });
});

describe("a frame", () => {
  it("is read without an exception, whatever it holds", () => {
    const names = ["jsonrpc", "2.0", "method", "id", "params", "result", "error", "x"];
    const word = fc.constantFrom(...names);
    const message = fc.dictionary(word, fc.oneof(word, fc.jsonValue({ maxDepth: 3 })));
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      message.map((it) => JSON.stringify(it)),
      fc.array(message, { maxLength: 4 }).map((it) => JSON.stringify(it)),
    );
    fc.assert(fc.property(text, (frame) => readFrame(frame).messages.length > 0));
  });
});
