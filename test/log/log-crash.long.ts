import { sweepLog } from "./sweep-log.ts";

sweepLog(3, ["ENOSPC", "EIO"]);
