import type { JsonObject } from "../base/json.ts";

/**
 * One line of a session's log (DESIGN section 5). `seq` counts from 1 without gaps, `at` is
 * ISO-8601 UTC and never goes back, `id` is made by the writer and tells its event from another
 * writer's. Protocols add fields of their own.
 */
export interface LogEvent extends JsonObject {
  seq: number;
  from: string;
  event: string;
  at: string;
  summary: string;
}
