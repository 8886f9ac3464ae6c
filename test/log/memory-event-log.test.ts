import { MemoryEventLog } from "../../scripts-src/log/memory-event-log.ts";
import { checkEventLog } from "./check-event-log.ts";

checkEventLog("MemoryEventLog", () => {
  const log = new MemoryEventLog();
  return { log, other: () => log, close: () => {} };
});
