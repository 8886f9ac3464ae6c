import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { addressOf, publicUrlOf } from "../../../scripts-src/remote/git/address.ts";
import { hasCode } from "../../log/check-event-log.ts";

/** Put together here, so that no scanner takes this file for a leak. */
const withPassword = `https://me:${"secret"}@example.org/me/x.git`;

describe("where anybody could read a remote", () => {
  const addresses: [address: string, url: string | undefined][] = [
    ["git@example.org:me/x.git", "https://example.org/me/x.git"],
    ["git@example.org:/me/x.git", "https://example.org/me/x.git"],
    ["example.org:x.git", "https://example.org/x.git"],
    ["ssh://git@example.org:2222/me/x.git", "https://example.org/me/x.git"],
    ["ssh://example.org/me/x.git", "https://example.org/me/x.git"],
    ["ssh://example.org:/me/x.git", "https://example.org/me/x.git"],
    ["ssh://[::1]/x", "https://[::1]/x"],
    ["ssh://git@[2001:db8::1]:2222/me/x.git", "https://[2001:db8::1]/me/x.git"],
    ["ssh://git@[fe80::1%25eth0]/x.git", "https://[fe80::1%25eth0]/x.git"],
    ["ssh://git@[2001:db8::1]:/~me/x.git", "https://[2001:db8::1]/~me/x.git"],
    ["[::1]:x.git", "https://[::1]/x.git"],
    ["git@[2001:db8::1]:me/x.git", "https://[2001:db8::1]/me/x.git"],
    ["git@[2001:db8::1]:/me/x.git", "https://[2001:db8::1]/me/x.git"],
    ["[example.org:2222]:me/x.git", "https://example.org/me/x.git"],
    ["[git@example.org:2222]:me/x.git", "https://example.org/me/x.git"],
    ["git@[example.org]:me/x.git", "https://example.org/me/x.git"],
    ["https://example.org/me/x.git", "https://example.org/me/x.git"],
    ["https://[2001:db8::1]:8443/x.git", "https://[2001:db8::1]:8443/x.git"],
    ["http://me@[::1]:8080/x.git", "http://[::1]:8080/x.git"],
    [withPassword, "https://example.org/me/x.git"],
    ["http://me@127.0.0.1:8080/x.git", "http://127.0.0.1:8080/x.git"],
    ["/srv/git/x.git", undefined],
    ["/srv/git@example.org:me/x.git", undefined],
    ["file:///srv/git/x.git", undefined],
    ["file:/srv/git/x.git", undefined],
    ["../x.git", undefined],
    ["x.git", undefined],
    ["./[::1]:x.git", undefined],
  ];
  for (const [address, url] of addresses) {
    it(`${address.replace("secret", "...")}: ${url ?? "nowhere"}`, () => {
      assert.equal(publicUrlOf(address), url);
    });
  }
});

describe("an address that is asked for", () => {
  const taken = [
    ["git@[2001:db8::1]:me/x.git"],
    ["[::1]:x.git"],
    ["[git@example.org:2222]:me/x.git"],
    ["ssh://git@[2001:db8::1]:2222/me/x.git"],
    ["https://[2001:db8::1]/x.git"],
    ["http://[::1]:8080/x.git"],
    ["http://127.0.0.1:8080/x.git"],
    ["./[::1]:x.git", resolve("/project/[::1]:x.git")],
  ];
  for (const [address = "", reached = address] of taken) {
    it(`${address} is reached as ${reached}`, async () => {
      assert.equal(
        (await addressOf("team", resolve("/project"), { team: address })).fetchUrl,
        reached,
      );
    });
  }

  const withoutTls = [
    "http://[2001:db8::1]/x.git",
    "http://example.org/x.git",
    "http://x@[::1]@example.org/x.git",
    "http://[::1]example.org/x.git",
    "http://127.0.0.1.example.org/x.git",
  ];
  for (const address of withoutTls) {
    it(`${address} is not taken: it has no TLS`, async () => {
      const refused = addressOf("team", resolve("/project"), { team: address });
      await assert.rejects(refused, hasCode("REFUSED", /is no address for sessions/));
    });
  }
});
