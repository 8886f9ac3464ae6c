/** Builds a session in a process of its own, whose memory does not slow the starts measured later. */
import { buildSession } from "./build-session.ts";

const [project = "", eventsCount = ""] = process.argv.slice(2);
await buildSession(project, Number(eventsCount));
