import { checkEventLog } from "./check-event-log.ts";
import { MemoryEventLog } from "./memory-event-log.ts";

checkEventLog("MemoryEventLog", () => {
  const log = new MemoryEventLog();
  return { log, other: () => log, close: () => {} };
});
