import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject, JsonValue } from "../../../scripts-src/base/json.ts";
import { declaredStatus } from "../../../scripts-src/collaboration/rules/deliverable-rules.ts";
import {
  type Deliverables,
  deliverablesFaults,
  deliverableTypeNames,
  foldersUpOf,
  primaryReference,
  readDeliverables,
  referenceOf,
  sectionsOf,
} from "../../../scripts-src/collaboration/rules/deliverables.ts";
import { textsOf } from "../../../scripts-src/collaboration/rules/faults.ts";
import { adr, settingsFor } from "../complete-folder.ts";

const primary = { type: "adr", file: "adr.md", checklist: [] };
const internal = { mode: "internal", dir: "deliverables", primary };

function raw(deliverables: JsonValue, more: JsonObject = {}): JsonObject {
  return { deliverables, ...more };
}

describe("reading deliverables", () => {
  it("takes everything that is declared", () => {
    const given = {
      ...internal,
      dir: "./out//docs/",
      primary: { type: "custom", file: "./a/x.md", checklist: [" A ", "", 5, "B"] },
      supporting: [{ type: "adr", file: "s.md", frozen: true }, 5],
      attachments: [{ file: "p.png" }, {}, "x"],
    };
    assert.deepEqual(readDeliverables(raw(given, { repoRoot: "../.." })), {
      mode: "internal",
      dir: "./out//docs/",
      primary: {
        type: "custom",
        file: "./a/x.md",
        path: "out/docs/a/x.md",
        checklist: ["A", "B"],
        frozen: false,
      },
      supporting: [
        { type: "adr", file: "s.md", path: "out/docs/s.md", checklist: [], frozen: true },
      ],
      attachments: ["p.png"],
      repoRoot: "../..",
    });
  });

  const nothing: [name: string, deliverables: JsonValue][] = [
    ["null", null],
    ["a list", []],
    ["an object without primary", {}],
    ["a primary that is no object", { primary: "adr.md" }],
    ["a primary without a file", { primary: { type: "adr" } }],
    ["a file that is no text", { primary: { type: "adr", file: 5 } }],
  ];
  for (const [name, deliverables] of nothing) {
    it(`finds none in ${name}`, () => {
      assert.equal(readDeliverables(raw(deliverables)), undefined);
    });
  }

  it("finds none where the key is absent", () => assert.equal(readDeliverables({}), undefined));
});

describe("the name of a deliverable", () => {
  it("is its path in internal mode, without detours", () => {
    assert.equal(primaryReference(settingsFor(adr)), "deliverables/adr.md");
    const read = readDeliverables(raw({ ...internal, dir: "." }));
    assert(read !== undefined);
    assert.equal(referenceOf(read, read.primary), "adr.md");
    assert.equal(foldersUpOf(read), 0);
  });

  it("is external: and the file as it is declared in external mode", () => {
    const file = { ...primary, file: "./a//adr.md" };
    const read = readDeliverables(
      raw({ mode: "external", dir: "docs/out", primary: file }, { repoRoot: "../.." }),
    );
    assert(read !== undefined);
    assert.equal(referenceOf(read, read.primary), "external:./a//adr.md");
    assert.equal(read.primary.path, "docs/out/a/adr.md");
    assert.equal(foldersUpOf(read), 2);
  });

  it("is empty in schema 1", () => assert.equal(primaryReference(settingsFor()), ""));
});

describe("the way to a repository", () => {
  const ways: [repoRoot: string, steps: number | undefined][] = [
    [".", 0],
    ["./", 0],
    ["..", 1],
    ["../..", 2],
    ["..//.././..", 3],
    ["x/..", 0],
    ["../x/../..", 2],
    ["x", undefined],
    ["../x", undefined],
    ["/..", undefined],
  ];
  for (const [repoRoot, steps] of ways) {
    it(`${JSON.stringify(repoRoot)} leads ${steps ?? "not straight"} up`, () => {
      const read = readDeliverables(raw({ mode: "external", dir: "x", primary }, { repoRoot }));
      assert.equal(foldersUpOf(read as Deliverables), steps);
    });
  }
});

describe("the status of a deliverable", () => {
  const documents: [text: string, status: string][] = [
    ["# T\n\nStatus: Draft\n", "Draft"],
    ["Status:Draft", "Draft"],
    ["Status:   In Review  \r\n", "In Review"],
    ["Status: Frozen", "Frozen"],
    ["\ufeffStatus: Frozen", "Frozen"],
    ["Status: maybe\nStatus: Draft\nStatus: Frozen", "Draft"],
    ["Status:\n\nDraft", "Draft"],
    ["Status: draft", ""],
    ["Status: Draft, mostly", ""],
    ["status: Draft", ""],
    [" Status: Draft", ""],
    ["- Status: Draft", ""],
    ["**Status**: Draft", ""],
    ["## Status\n\nDraft", ""],
    ["", ""],
  ];
  for (const [text, status] of documents) {
    it(`of ${JSON.stringify(text)} is ${JSON.stringify(status)}`, () => {
      assert.equal(declaredStatus(text), status);
    });
  }
});

describe("the types of deliverables", () => {
  it("are those of the contract, each with its sections", () => {
    assert.deepEqual(deliverableTypeNames, [
      "adr",
      "custom",
      "decision-memo",
      "design-spec",
      "implementation-plan",
      "review-report",
      "test-plan",
    ]);
    assert.deepEqual(sectionsOf({ type: "test-plan", checklist: ["A"] }), [
      "Scope",
      "Test Matrix",
      "Fixtures",
      "Automation",
      "Manual Tests",
      "Exit Criteria",
    ]);
    assert.deepEqual(sectionsOf({ type: "custom", checklist: ["A"] }), ["A"]);
  });

  it("are not inherited from objects", () => {
    assert.deepEqual(sectionsOf({ type: "toString", checklist: [] }), []);
    assert.deepEqual(sectionsOf({ type: "__proto__", checklist: [] }), []);
  });
});

describe("the faults of declared deliverables", () => {
  const dirFault = "deliverables.dir must be relative and must not contain ..";
  const typeFault = "primary deliverable type is invalid";
  const markdown = "primary deliverable file must be Markdown";
  const fileFault = "primary deliverable file must be relative and must not contain ..";
  const custom = "custom primary deliverable requires checklist";
  const inside = "collaboration folder must be inside repoRoot";
  const supporting = (file: JsonValue, type: JsonValue = "adr") => [{ type, file }];
  const s = { type: "adr", file: "s.md" };

  const faulty: [name: string, change: JsonObject, faults: string[]][] = [
    ["nothing", {}, []],
    ["another mode", { mode: "x" }, ["deliverables.mode must be internal or external"]],
    ["no dir", { dir: undefined }, ["deliverables.dir is required"]],
    ["a blank dir", { dir: " " }, ["deliverables.dir is required"]],
    ["an absolute dir", { dir: "/x" }, [dirFault]],
    ["a dir that climbs", { dir: "a/../b" }, [dirFault]],
    ["the dir .", { dir: "." }, []],
    ["an empty primary", { primary: {} }, [typeFault, markdown]],
    ["an unknown type", { primary: { ...primary, type: "zz" } }, [typeFault]],
    ["a type that is no text", { primary: { ...primary, type: ["adr"] } }, [typeFault]],
    ["no Markdown", { primary: { ...primary, file: "x.MD" } }, [markdown]],
    ["a file that climbs", { primary: { ...primary, file: "../x.md" } }, [fileFault]],
    ["an absolute file", { primary: { ...primary, file: "/x.md" } }, [fileFault]],
    ["two dots in a name", { primary: { ...primary, file: "a..b.md" } }, []],
    ["custom without checklist", { primary: { type: "custom", file: "x.md" } }, [custom]],
    [
      "custom with a blank checklist",
      { primary: { type: "custom", file: "x.md", checklist: [" ", 5] } },
      [custom],
    ],
    ["supporting that is no list", { supporting: 5 }, []],
    ["supporting that is no object", { supporting: [5] }, []],
    [
      "empty supporting",
      { supporting: [{}] },
      ["supporting deliverable type is invalid", "supporting deliverable file must be Markdown"],
    ],
    [
      "supporting that climbs",
      { supporting: supporting("../x.md") },
      ["supporting deliverable file must be relative and must not contain .."],
    ],
    [
      "the primary as supporting",
      { supporting: supporting("adr.md") },
      ["supporting deliverable must not reuse the primary deliverable file"],
    ],
    [
      "the same supporting twice",
      { supporting: [s, s] },
      ["supporting deliverable files must be unique"],
    ],
    ["an attachment that is no object", { attachments: ["x"] }, ["attachments must be objects"]],
    [
      "attachments without file",
      { attachments: [{}, { file: " " }, { file: 5 }] },
      Array(3).fill("attachment file is required"),
    ],
    [
      "attachments elsewhere",
      { attachments: [{ file: "../x" }, { file: "/x" }] },
      Array(2).fill("attachment file must be relative and must not contain .."),
    ],
  ];
  for (const [name, change, faults] of faulty) {
    it(`are told for ${name}`, () => {
      assert.deepEqual(textsOf(deliverablesFaults(raw({ ...internal, ...change }))), faults);
    });
  }

  for (const deliverables of [undefined, null, [], {}, { primary: [] }]) {
    it(`are only that it is missing for ${JSON.stringify(deliverables)}`, () => {
      assert.deepEqual(textsOf(deliverablesFaults({ deliverables })), [
        "protocol.json deliverables.primary is required",
      ]);
    });
  }

  const roots: [mode: string, root: JsonObject, faults: string[]][] = [
    ["internal", { repoRoot: ".." }, ["repoRoot is not allowed for internal deliverables"]],
    ["internal", { repoRoot: null }, ["repoRoot is not allowed for internal deliverables"]],
    ["external", {}, ["repoRoot is required for external deliverables"]],
    ["external", { repoRoot: " " }, ["repoRoot is required for external deliverables"]],
    ["external", { repoRoot: 5 }, ["repoRoot is required for external deliverables"]],
    ["external", { repoRoot: "/tmp" }, ["repoRoot must be relative"]],
    ["external", { repoRoot: "deliverables" }, [inside]],
    ["external", { repoRoot: "../other" }, [inside]],
    ["external", { repoRoot: "../.." }, []],
    ["external", { repoRoot: "." }, []],
  ];
  for (const [mode, root, faults] of roots) {
    it(`are told for ${mode} mode with ${JSON.stringify(root)}`, () => {
      assert.deepEqual(textsOf(deliverablesFaults(raw({ ...internal, mode }, root))), faults);
    });
  }
});
