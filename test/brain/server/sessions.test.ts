import { checkSessions } from "../check-sessions.ts";
import { InMemoryStore } from "../in-memory-store.ts";

checkSessions("InMemoryStore", async () => new InMemoryStore());
