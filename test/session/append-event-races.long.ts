import { killSenders } from "./kill-senders.ts";

killSenders(16);
