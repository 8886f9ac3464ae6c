import { isRecord, parseJsonObject } from "../base/json.ts";
import { limits } from "../base/limits.ts";
import { lineHash } from "../base/line-hash.ts";
import { whenNeeded } from "../base/when-needed.ts";
import { textIfSound, writeFileAtomically } from "../files/atomic-file.ts";
import { childPath } from "../files/child-path.ts";
import { existsSync } from "../files/disk.ts";
import { fileNameOf } from "../files/file-name-of.ts";
import { discard } from "../files/regular-file.ts";
import { ensureFolder } from "../files/safe-path.ts";
import type { LogEvent } from "../log/event.ts";
import type { Submission } from "../protocol/protocol.ts";
import type { Place } from "./place.ts";
import type { Session } from "./session.ts";

/**
 * A submission that went to other machines and got no answer: its event may be in the log all the same. A
 * message is known again by its words; another event has nothing that tells a repeated try from a second
 * event of the same words. So each try is noted before it goes out, and the same submission again is known
 * by the event that one of its tries became.
 *
 *   noted --sent, answered--> (gone)
 *     | no answer, or the process dies
 *     v
 *   left --the same submission again--> its event is in the log: known; else noted beside it, and sent
 */
export interface Unanswered {
  /** The seq of the event that a noted try became; undefined where none did. */
  seqIn(session: Session): Promise<number | undefined>;
  /** Notes a try, beside earlier ones of the same submission. @throws ConsultaError UNAVAILABLE when the disk refuses. */
  note(event: LogEvent): void;
  /** The submission was answered. */
  forget(): void;
}

interface Try {
  readonly seq: number;
  readonly hash: string;
}

const folderName = ".additions";
/** Each of so many may still come in late. */
const triesMax = 16;

/** The note of what a participant sent last: one for each participant. */
export function unansweredOf(
  { folder }: Place,
  { participant, origin, fields }: Pick<Submission, "participant" | "origin" | "fields">,
): Unanswered {
  const name = `unanswered-${fileNameOf(participant)}.json`;
  const path = childPath(childPath(folder, folderName), name);
  const of = whenNeeded(() => hashOf([origin, fields]));
  const tries = () => (existsSync(path) ? triesIn(path, of()) : []);
  return {
    async seqIn({ log, cursor }) {
      for (const { seq, hash } of tries()) {
        const event = seq > cursor.seq ? undefined : await log.at(seq);
        if (event !== undefined && hashOf(unchained(event)) === hash) return seq;
      }
      return undefined;
    },
    note(event) {
      const noted = [...tries(), { seq: event.seq, hash: hashOf(event) }].slice(-triesMax);
      ensureFolder(folder, folderName);
      writeFileAtomically(path, `${JSON.stringify({ of: of(), tries: noted })}\n`);
    },
    forget() {
      if (existsSync(path)) discard(path);
    },
  };
}

/** The tries that are noted of a submission; none where the note is of another one, or cannot be read. */
function triesIn(path: string, of: string): Try[] {
  const note = parseJsonObject(textIfSound(path, limits.messageBytes) ?? "");
  const tries = note?.["tries"];
  if (note?.["of"] !== of || !Array.isArray(tries)) return [];
  return tries.flatMap((it) => {
    const { seq, hash } = isRecord(it) ? it : {};
    return typeof seq === "number" && typeof hash === "string" ? [{ seq, hash }] : [];
  });
}

/** As it was sent: the log adds what chains it to the event before. */
function unchained({ prev: _, ...event }: LogEvent): unknown {
  return event;
}

function hashOf(value: unknown): string {
  return lineHash(Buffer.from(JSON.stringify(value)));
}
