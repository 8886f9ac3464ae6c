import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { quotaRenewal } from "../../scripts-src/clis/quota-renewal.ts";
import { rowsOf } from "../rows.ts";

/** What vendors print, read at 22:15 UTC; times without a zone are those of a machine in Berlin. */
const rows = rowsOf(`
You've hit your session limit · resets 11:50pm (UTC) | 2026-11-28T23:50:00.000Z
You've hit your session limit · resets 11:50pm (Asia/Riyadh) | 2026-11-29T20:50:00.000Z
You've hit your weekly limit · resets Dec 2, 3pm (America/New_York) | 2026-12-02T20:00:00.000Z
You've hit your weekly limit · resets Dec 2 at 3:30pm (Asia/Kolkata) | 2026-12-02T10:00:00.000Z
Claude usage limit reached. Your limit will reset at 1am (Etc/GMT+5). | 2026-11-29T06:00:00.000Z
5-hour limit reached · resets 2am | 2026-11-29T01:00:00.000Z
resets 10:10pm (UTC) | 2026-11-28T22:10:00.000Z
resets Nov 28 at 10:10pm (UTC) | 2026-11-28T22:10:00.000Z
resets Nov 28 at 9pm (UTC) | 2027-11-28T21:00:00.000Z
Upgrade to Pro (https://openai.com/x) or try again in 5 days 22 hours 11 minutes. | 2026-12-04T20:26:00.000Z
You've hit your usage limit. Try again in 23 hours 55 minutes. | 2026-11-29T22:10:00.000Z
You've hit your usage limit, or try again at Dec 5th, 2026 8:19 PM. | 2026-12-05T19:19:00.000Z
You've hit your usage limit. Try again at 11:30 PM. | 2026-11-28T22:30:00.000Z
Quota exceeded. Your quota will reset after 13h20m5s. | 2026-11-29T11:35:05.000Z
Please retry in 37.5s. | 2026-11-28T22:15:37.500Z
resets at 2026-11-29T01:00:00Z | 2026-11-29T01:00:00.000Z
retry later, your limit resets 11pm (UTC) | 2026-11-28T23:00:00.000Z
HTTP 429 Too Many Requests, Retry-After: 3600 | 2026-11-28T23:15:00.000Z
{"code":429,"headers":{"retry-after":"90"}} | 2026-11-28T22:16:30.000Z
Please retry after 15 minutes. | 2026-11-28T22:30:00.000Z
{"type":"usage_limit_reached","resets_at":1795910400} | 2026-11-29T00:00:00.000Z
Claude AI usage limit reached, resets 1795910400000 | 2026-11-29T00:00:00.000Z
resets 11pm (Middle/Earth) | -
2026-11-28 22:14:59 ERROR You exceeded your current quota | -
Quota exceeded: wait for limits to reset (every 5h and every week.) | -
You exceeded your current quota, please check your plan | -`);

describe("the renewal of a quota", () => {
  const { TZ } = process.env;
  before(() => {
    process.env["TZ"] = "Europe/Berlin";
  });
  after(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });

  for (const [said = "", at = ""] of rows)
    it(`is read from: ${said}`, () => {
      const found = quotaRenewal(said, new Date("2026-11-28T22:15:00Z"));
      assert.equal(found?.toISOString() ?? "-", at);
    });
});
