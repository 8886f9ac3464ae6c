import { sweepLog } from "./sweep-log.ts";

sweepLog(1, ["ENOSPC"]);
