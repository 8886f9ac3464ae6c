import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { documents, root, textOf } from "./documents.ts";

/** Relative links, without those of code blocks. */
function linksIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^(?:https?:|mailto:)/.test(link));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const headings = [...textOf(path).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function brokenIn(path: string, text: string): string[] {
  return linksIn(text).filter((link) => {
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor);
  });
}

/** Files that a text names in backquotes, by a path or by an ending that only our files have. */
function filesIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|test\.ts|md))`/g)];
  return quoted.map(([, path = ""]) => path).filter((path) => path.includes("/"));
}

describe("links and file names of the documents", () => {
  for (const path of documents()) {
    it(`of ${path} exist`, () => {
      assert.deepEqual(brokenIn(path, textOf(path)), []);
    });
  }

  it("sees a link that leads nowhere", () => {
    const text = "[a](docs/gone.md) [b](#no-such-heading) [c](docs/security.md) [d](#install)";
    assert.deepEqual(brokenIn("README.md", text), ["docs/gone.md", "#no-such-heading"]);
  });

  const places = [".", "scripts-src", "docs", "skills/consulta", "skills/collaborate", "test"];
  for (const path of documents().filter((it) => it.startsWith("docs/"))) {
    it(`${path} names files that are there`, () => {
      const own = ["review.md", "proposal.md"];
      const missing = filesIn(textOf(path)).filter(
        (file) =>
          !places.some((place) => existsSync(join(root, place, file))) &&
          !/^(?:\.consulta|findings|deliverables|src)\//.test(file) &&
          !own.includes(file),
      );
      assert.deepEqual(missing, []);
    });
  }
});

describe("the address of the repository", () => {
  /** Until it is published: then package.json says where, and these lines have to. */
  const { repository } = JSON.parse(textOf("package.json"));
  const address: string = repository?.url ?? "REPOSITORY";

  for (const path of ["README.md", "docs/getting-started.md"]) {
    it(`is that of package.json in ${path}, or a word that says so`, () => {
      const text = textOf(path);
      const cloned = [...text.matchAll(/^git clone (\S+) ~\/consulta$/gm)].map(([, it]) => it);
      assert.deepEqual(cloned, [address]);
      const isTold = /(?:Replace REPOSITORY|REPOSITORY is) /.test(text);
      assert.equal(isTold, address === "REPOSITORY");
    });
  }
});
