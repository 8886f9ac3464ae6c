import { MemoryEventLog } from "../../scripts-src/store/memory-event-log.ts";
import { checkEventLog } from "./check-event-log.ts";

checkEventLog("MemoryEventLog", () => {
  const log = new MemoryEventLog();
  return { log, other: () => log, close: () => {} };
});
