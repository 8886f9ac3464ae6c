import { readFileSync } from "node:fs";
import { nonceIn } from "../consult/scripted-peer.ts";

/** What a careful reader finds: of each claim by its text, and of the decision. */
interface Known {
  readonly claims: Readonly<Record<string, { readonly says: string; readonly why: string }>>;
  readonly decision: object;
}

interface Told {
  readonly id: string;
  readonly text: string;
  readonly expected: string;
  readonly seen: string;
}

/** A scripted auditor: it reads a packet from standard input, and answers as its kind does. */
const [kind = "", file = ""] = process.argv.slice(2);
const nothing = {
  unsupported: [],
  contradicts: null,
  dissent: [],
  owner: { kind: "none", why: "" },
};

function toldIn(packet: string): Told[] {
  const frames = packet.matchAll(/^<<< \S+ (C\d+\.\d+)\n([\s\S]*?)\n>>> /gm);
  return [...frames].map(([, id = "", framed = ""]) => {
    const [head = "", seen = ""] = framed.replace(/^\| ?/gm, "").split(/\nseen:\n([\s\S]*)/);
    const of = (field: string) => new RegExp(`^${field}: (.*)$`, "m").exec(head)?.[1] ?? "";
    return { id, text: of("claims"), expected: of("expected"), seen };
  });
}

/** The words that were expected, else the first line that says something. */
function wordsOf({ expected, seen }: Told): string {
  if (expected !== "" && seen.includes(expected)) return expected;
  return seen.split("\n").find((line) => /[\p{L}\p{N}]/u.test(line)) ?? "";
}

function judged(told: Told, { claims }: Known) {
  const { says, why } = claims[told.text] ?? { says: "shows", why: "the lines say it" };
  return { id: told.id, says, why, ...(says === "shows" ? { quote: wordsOf(told) } : {}) };
}

function answerOf(packet: string): string {
  const claims = toldIn(packet);
  const nonce = nonceIn(packet);
  const all = (of: (told: Told) => object) =>
    JSON.stringify({ nonce, ...nothing, claims: claims.map(of), model: "scripted" });
  switch (kind) {
    case "good": {
      const known: Known = JSON.parse(readFileSync(file, "utf8"));
      const said = claims.map((told) => judged(told, known));
      return JSON.stringify({ nonce, ...nothing, ...known.decision, claims: said });
    }
    case "yes":
      return all((told) => ({
        ...{ id: told.id, says: "shows", why: "it says so", quote: wordsOf(told) },
      }));
    case "liar": {
      const quote = "words that nobody has ever seen here";
      return all(({ id }) => ({ id, says: "shows", why: "it says so", quote }));
    }
    case "garbage":
      return "Looks good to me! {claims: all shown, owner none";
    default:
      throw new Error(`no auditor is called ${kind}`);
  }
}

process.stdout.write(`${answerOf(readFileSync(0, "utf8"))}\n`);
