import assert from "node:assert/strict";
import { it } from "node:test";
import {
  findingIn,
  type KnownFindings,
  knownNames,
  withFinding,
} from "../../../scripts-src/findings/rules/known-findings.ts";

const nameOf = (number: number) => `agent/${number}-topic.md`;

function many(count: number): KnownFindings {
  let findings: KnownFindings = [];
  for (let seq = 1; seq <= count; seq += 1)
    findings = withFinding(findings, nameOf(seq), { seq, sha256: "old" });
  return findings;
}

it("keeps all in order, a newer content in the place of the older one, and the state before", () => {
  const before = many(1_000);
  const after = withFinding(before, nameOf(300), { seq: 1_001, sha256: "new" });
  const names = Array.from({ length: 1_000 }, (_, index) => nameOf(index + 1));
  assert.deepEqual(knownNames(before), names);
  assert.deepEqual(knownNames(after), names);
  assert.equal(findingIn(before, nameOf(300))?.sha256, "old");
  assert.equal(findingIn(after, nameOf(300))?.sha256, "new");
  assert.equal(findingIn(after, "agent/0-topic.md"), undefined);
  assert.equal(findingIn(after, "constructor"), undefined);
});

it("takes 20,000 in little time: what one more costs does not grow with their number", () => {
  const started = process.cpuUsage();
  assert.equal(knownNames(many(20_000)).length, 20_000);
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 5_000_000, `${(user + system) / 1_000} ms`);
});
