import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { Handler } from "../../../scripts-src/brain/rpc-peer.ts";
import { readFrame } from "../../../scripts-src/brain/rules/json-rpc.ts";
import { RpcFailure, rpcFailure } from "../../../scripts-src/brain/rules/rpc-errors.ts";
import { ends, RawEnd } from "../raw-end.ts";

const numbers = (params: unknown): number[] => (Array.isArray(params) ? params : []);
const named = (params: unknown): Record<string, number> => Object(params);

/** The methods that the examples of the specification call, and a few that misbehave. */
const handlers = new Map<string, Handler>([
  ["probe", () => null],
  [
    "subtract",
    (params) => {
      const [minuend = 0, subtrahend = 0] = Array.isArray(params)
        ? numbers(params)
        : [named(params)["minuend"], named(params)["subtrahend"]];
      return minuend - subtrahend;
    },
  ],
  ["sum", (params) => numbers(params).reduce((sum, number) => sum + number, 0)],
  ["get_data", () => ["hello", 5]],
  ["update", () => "nobody hears this"],
  ["notify_hello", () => "nor this"],
  ["nothing", () => undefined],
  ["echo", (params) => params],
  ["slow", () => new Promise((done) => setTimeout(done, 400, "slow"))],
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

const error = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: "2.0",
  error: { code, message },
  id,
});
const result = (value: unknown, id: unknown) => ({ jsonrpc: "2.0", result: value, id });
const invalid = error(-32600, "Invalid Request");
const unreadable = error(-32700, "Parse error");

/** The answers of the specification, to which ours only add a reason. */
function withoutReasons(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === "data" ? undefined : value));
}

type Example = [name: string, frame: string, answers: unknown[]];

/** https://www.jsonrpc.org/specification, section 7, in its order and word for word. */
const specification: Example[] = [
  [
    "positional parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
    [result(19, 1)],
  ],
  [
    "positional parameters, the other way round",
    '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    [result(-19, 2)],
  ],
  [
    "named parameters",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    [result(19, 3)],
  ],
  [
    "named parameters, the other way round",
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    [result(19, 4)],
  ],
  ["a notification", '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', []],
  ["a notification that nobody knows", '{"jsonrpc": "2.0", "method": "foobar"}', []],
  [
    "a method that nobody has",
    '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
    [error(-32601, "Method not found", "1")],
  ],
  ["invalid JSON", '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', [unreadable]],
  ["an invalid request", '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', [invalid]],
  [
    "a batch of invalid JSON",
    '[\n  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},\n  {"jsonrpc": "2.0", "method"\n]',
    [unreadable],
  ],
  ["an empty batch", "[]", [invalid]],
  ["an invalid batch that is not empty", "[1]", [[invalid]]],
  ["an invalid batch", "[1,2,3]", [[invalid, invalid, invalid]]],
  [
    "a batch of everything",
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
        result(7, "1"),
        result(19, "2"),
        invalid,
        error(-32601, "Method not found", "5"),
        result(["hello", 5], "9"),
      ],
    ],
  ],
  [
    "a batch of notifications",
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    [],
  ],
];

const call = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields });
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** What the specification implies, and what an attacker tries. */
const derived: Example[] = [
  ["the id 0", call({ method: "sum", params: [], id: 0 }), [result(0, 0)]],
  ["an empty id", call({ method: "sum", params: [], id: "" }), [result(0, "")]],
  ["a fraction as id", call({ method: "sum", id: 1.5 }), [result(0, 1.5)]],
  ["a negative id", call({ method: "sum", id: -1 }), [result(0, -1)]],
  ["the id null", call({ method: "sum", id: null }), [invalid]],
  [
    "equal ids in a batch: the first is answered",
    `[${call({ method: "sum", params: [1], id: 1 })},${call({ method: "sum", params: [2], id: 1 })}]`,
    [[result(1, 1), invalid]],
  ],
  ["an id that is an object", call({ method: "sum", id: {} }), [invalid]],
  ["an id that is true", call({ method: "sum", id: true }), [invalid]],
  [
    "an id that JSON cannot hold",
    '{"jsonrpc":"2.0","method":"sum","id":12345678901234567890}',
    [invalid],
  ],
  ["an endless id", call({ method: "sum", id: "x".repeat(257) }), [invalid]],
  [
    "another version",
    '{"jsonrpc":"1.0","method":"sum","id":1}',
    [error(-32600, "Invalid Request", 1)],
  ],
  ["no version", '{"method":"sum","id":1}', [error(-32600, "Invalid Request", 1)]],
  [
    "parameters that are null",
    call({ method: "sum", params: null, id: 1 }),
    [error(-32600, "Invalid Request", 1)],
  ],
  [
    "parameters that are text",
    call({ method: "sum", params: "bar", id: 1 }),
    [error(-32600, "Invalid Request", 1)],
  ],
  ["an invalid call without id", call({ method: "sum", params: 1 }), [invalid]],
  ["text alone", '"hello"', [invalid]],
  ["null alone", "null", [invalid]],
  ["nothing at all", "", [unreadable]],
  ["the same key twice", '{"jsonrpc":"2.0","method":"sum","method":"echo","id":1}', [unreadable]],
  ["nesting without end", deep(200_000), [unreadable]],
  [
    "nesting without end in parameters",
    `{"jsonrpc":"2.0","method":"echo","id":1,"params":${deep(200_000)}}`,
    [unreadable],
  ],
  ["no result", call({ method: "nothing", id: 1 }), [result(null, 1)]],
  [
    "__proto__ as method",
    call({ method: "__proto__", id: 1 }),
    [error(-32601, "Method not found", 1)],
  ],
  [
    "constructor as method",
    call({ method: "constructor", id: 1 }),
    [error(-32601, "Method not found", 1)],
  ],
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
  [
    "an answer that is an error too",
    call({ result: 1, error: { code: 1, message: "x" }, id: 1 }),
    [],
  ],
  ["a batch of answers", `[${call({ result: 1, id: 77 })},${call({ result: 2, id: 78 })}]`, []],
  ["a batch of one", `[${call({ method: "sum", id: 1 })}]`, [[result(0, 1)]]],
  [
    "a batch with slow ones, in its order",
    `[${call({ method: "slow", id: 1 })},${call({ method: "sum", id: 2 })}]`,
    [[result("slow", 1), result(0, 2)]],
  ],
  [
    "a batch of 64",
    `[${Array.from({ length: 64 }, (_, id) => call({ method: "sum", id }))}]`,
    [Array.from({ length: 64 }, (_, id) => result(0, id))],
  ],
  [
    "a batch of 65",
    `[${Array.from({ length: 65 }, (_, id) => call({ method: "sum", id }))}]`,
    [invalid],
  ],
];

for (const end of ends) {
  describe(`JSON-RPC over a WebSocket, our end being the ${end}`, () => {
    let raw: RawEnd;
    before(async () => {
      raw = await RawEnd.open(end, handlers);
    });
    after(() => raw.stop());

    for (const [name, frame, answers] of specification) {
      it(`answers as the specification does: ${name}`, async () => {
        assert.deepEqual((await raw.answersTo(frame)).map(withoutReasons), answers);
      });
    }

    for (const [name, frame, answers] of derived) {
      it(`answers rightly: ${name}`, async () => {
        const sorted = (await raw.answersTo(frame)).map(withoutReasons);
        // A slow answer may come behind the question that follows it.
        if (sorted.length < answers.length) sorted.push(withoutReasons(await raw.next()));
        assert.deepEqual(sorted, answers);
      });
    }

    it("says in the data what came and what was expected", async () => {
      const [answer] = await raw.answersTo('{"jsonrpc":"2.0","method":7,"id":1}');
      assert.deepEqual(Object(answer).error.data, { reason: "method is 7, expected a string" });
    });

    it("never tells a caller about a bug more than that there is one", async () => {
      const answers = await raw.answersTo(call({ method: "break", id: 1 }));
      assert.doesNotMatch(JSON.stringify(answers), /secret/);
      assert(raw.notes.some((note) => /break failed: Error: a secret path/.test(note)));
    });

    it("answers the first of two requests with one id, and refuses the second", async () => {
      const frame = call({ method: "slow", id: "twice" });
      raw.send(frame);
      const [refusal] = await raw.answersTo(frame);
      assert.deepEqual(withoutReasons(refusal), invalid);
      assert.deepEqual(Object(refusal).error.data, { reason: "the id is in use", id: "twice" });
      assert.deepEqual(await raw.next(), result("slow", "twice"));
      assert.deepEqual(await raw.answersTo(call({ method: "sum", id: "twice" })), [
        result(0, "twice"),
      ]);
    });

    it("takes no more than 64 requests at once", async () => {
      for (let id = 0; id < 70; id += 1) raw.send(call({ method: "slow", id }));
      const answers: unknown[] = [];
      while (answers.length < 70) answers.push(await raw.next());
      const busy = answers.filter((answer) => Object(answer).error?.code === -32013);
      assert.equal(busy.length, 6);
    });

    it("asks with ids of its own, whatever ids the other end uses", async () => {
      const asked = raw.peer.request("ask", { a: 1 });
      const question = Object(await raw.next());
      assert.deepEqual(question, {
        jsonrpc: "2.0",
        method: "ask",
        params: { a: 1 },
        id: question.id,
      });
      // The same number, in the other direction, is another request.
      assert.deepEqual(await raw.answersTo(call({ method: "sum", params: [3], id: question.id })), [
        result(3, question.id),
      ]);
      raw.send(call({ result: { accepted: true }, id: question.id }));
      assert.deepEqual(await asked, { accepted: true });
    });

    it("gives an error of the other end to who asked", async () => {
      const asked = raw.peer.request("ask");
      const { id } = Object(await raw.next());
      raw.send(call({ error: { code: -32001, message: "no", data: { why: 1 } }, id }));
      await assert.rejects(asked, (failure) => {
        assert(failure instanceof RpcFailure);
        assert.deepEqual(failure.error, { code: -32001, message: "no", data: { why: 1 } });
        return true;
      });
    });

    it("takes answers that come in a batch, with calls among them", async () => {
      const asked = [raw.peer.request("one"), raw.peer.request("two")];
      const ids = [Object(await raw.next()).id, Object(await raw.next()).id];
      const batch = [
        { jsonrpc: "2.0", result: 2, id: ids[1] },
        { jsonrpc: "2.0", method: "sum", params: [4], id: "x" },
        { jsonrpc: "2.0", result: 1, id: ids[0] },
      ];
      assert.deepEqual(await raw.answersTo(JSON.stringify(batch)), [[result(4, "x")]]);
      assert.deepEqual(await Promise.all(asked), [1, 2]);
    });

    it("gives up on an answer that does not come in time, and passes it over later", async () => {
      const asked = raw.peer.request("ask", undefined, 20);
      // The request may come after the time is up.
      const gaveUp = assert.rejects(asked, /Timeout: ask got no answer/);
      const { id } = Object(await raw.next());
      await gaveUp;
      assert.deepEqual(await raw.answersTo(call({ result: 1, id })), []);
    });

    it("sends a notification without id", async () => {
      await raw.peer.notify("alert.memory_full", { token_percentage: 91 });
      assert.deepEqual(await raw.next(), {
        jsonrpc: "2.0",
        method: "alert.memory_full",
        params: { token_percentage: 91 },
      });
    });
  });

  describe(`a connection, our end being the ${end}`, () => {
    const frames: [name: string, send: (raw: RawEnd) => void, code: number][] = [
      ["a binary frame", (raw) => raw.send(Buffer.from("{}")), 1003],
      [
        "a message of more than 1 MiB",
        (raw) => raw.send(call({ method: "echo", id: 1, params: ["x".repeat(1_048_577)] })),
        1009,
      ],
    ];
    for (const [name, send, code] of frames) {
      it(`is closed with ${code} over ${name}`, async () => {
        const raw = await RawEnd.open(end, handlers);
        send(raw);
        assert.equal(await raw.closed(), code);
        raw.stop();
      });
    }

    it("fails all that waits when it is lost, and whatever is asked later", async () => {
      const raw = await RawEnd.open(end, handlers);
      const asked = raw.peer.request("ask");
      await raw.next();
      raw.stop();
      await assert.rejects(asked, /the connection is closed/);
      await assert.rejects(raw.peer.request("ask"), /the connection is closed/);
      assert(raw.peer.ended.aborted);
    });
  });
}

describe("a frame", () => {
  it("is read without an exception, whatever it holds", () => {
    const word = fc.constantFrom(
      "jsonrpc",
      "2.0",
      "method",
      "id",
      "params",
      "result",
      "error",
      "x",
    );
    const message = fc.dictionary(word, fc.oneof(word, fc.jsonValue({ maxDepth: 3 })));
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      message.map((it) => JSON.stringify(it)),
      fc.array(message, { maxLength: 4 }).map((it) => JSON.stringify(it)),
    );
    fc.assert(
      fc.property(text, (frame) => {
        const { kind } = readFrame(frame);
        assert(["unreadable", "single", "batch"].includes(kind));
      }),
    );
  });
});
