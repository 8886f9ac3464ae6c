import { isAbsolute, join } from "node:path";
import { refused } from "../../base/errors.ts";
import { quote } from "../../base/json.ts";
import { uniqueSuffix, writeFileAtomically } from "../../files/atomic-file.ts";
import { existsSync } from "../../files/disk.ts";
import { homeFolder } from "../../files/home-folder.ts";
import { readOwnFile } from "../../files/ownership.ts";
import { discard } from "../../files/safe-open.ts";
import { notTaken } from "../incoming.ts";
import { remoteLimits } from "../limits.ts";
import { faultIn, type Git, type ProgramEnd, requireProgram, runProgram } from "./run-git.ts";
import { hostileCommit } from "./session-refs.ts";

/** Who may sign for whom, in the form of ssh-keygen's ALLOWED SIGNERS; the file as people write its path. */
export const allowedSignersFile = "~/.consulta/allowed_signers";

/** Events that the rules append by themselves: any key of the file may sign for them. */
const rules = "consulta";

interface SigningPlace {
  readonly git: Git;
  /** For what ssh-keygen reads from files. */
  readonly folder: string;
  readonly projects: readonly string[];
}

/** A commit in its two parts. */
interface SignedCommit {
  /** What was signed. */
  readonly payload: Buffer;
  readonly signature: string | undefined;
}

/**
 * Signs commits with the ssh key that the user has git sign with, and tells whose key signed one: what
 * `git log --show-signature` shows as well.
 */
export class CommitSignatures {
  readonly #place: SigningPlace;
  readonly #program: string;

  /** @throws ConsultaError REFUSED where there is no ssh-keygen. */
  constructor(place: SigningPlace) {
    this.#place = place;
    const why = "the events of this session are signed: install OpenSSH";
    this.#program = requireProgram("ssh-keygen", place, why);
  }

  /**
   * The commit with a signature in it.
   * @throws ConsultaError REFUSED where the user has no key, or none that others will take as the sender's.
   */
  async sign(commit: Buffer, sender: string): Promise<Buffer> {
    const key = await this.#key();
    const end = await this.#keygen(["-Y", "sign", "-n", "git", "-f", key], commit);
    if (end.exitCode !== 0) {
      const reason = `nothing was sent: ssh-keygen does not sign with ${key} (${faultIn(end.stderr)})`;
      throw refused(`${reason}; put the key into your ssh agent (ssh-add)`);
    }
    const signed = withSignature(commit, end.stdout.toString("latin1"));
    if ((await this.#proof(signed, sender)) === "proved") return signed;
    const reason = `nothing was sent: ${allowedSignersFile} does not let ${key} sign for ${quote(sender)}`;
    const first =
      "each participant has to have it on their machine first, or the session stops there";
    const whose = "it is the user's to write, an agent asks its user";
    const way = `add the line: ${sender} KEY, as in docs/machines.md; ${first}; ${whose}`;
    throw refused(`${reason}; ${way}`);
  }

  /**
   * @throws ConsultaError REFUSED for a commit that does not prove that its sender wrote it, and where the
   * user has not said who may sign for whom.
   */
  async check(name: string, commit: Buffer, sender: string): Promise<void> {
    switch (await this.#proof(commit, sender)) {
      case "proved":
        return;
      case "unsigned":
        throw hostileCommit(name, "is not signed, and this session's events are");
      case "no known key": {
        const what = `commit ${name} is not signed by a key that ${allowedSignersFile} has for ${quote(sender)}`;
        const key = await this.#fingerprint(commit);
        const compare = `ask your user to compare ${key} with the sender's key (ssh-keygen -lf FILE.pub)`;
        const way = `if it is theirs, your user adds the line: ${sender} KEY, as in docs/machines.md`;
        throw notTaken(what, `${compare}: ${way}; else ask who pushed it`);
      }
    }
  }

  async #proof(commit: Buffer, sender: string): Promise<"proved" | "unsigned" | "no known key"> {
    const { payload, signature } = takenApart(commit);
    if (signature === undefined) return "unsigned";
    const signers = this.#allowedSigners();
    return this.#inFile(signature, async (file) => {
      const from = ["-f", signers.path, "-s", file];
      const signer = sender === rules ? await this.#principal(from) : sender;
      const known = ["-I", signer, "-n", "git", ...signers.at(payload)];
      const end = await this.#keygen(["-Y", "verify", ...from, ...known], payload);
      return end.exitCode === 0 ? "proved" : "no known key";
    });
  }

  /** How people name the key that signed a commit. */
  async #fingerprint(commit: Buffer): Promise<string> {
    const { payload, signature = "" } = takenApart(commit);
    const words = ["-Y", "check-novalidate", "-n", "git", "-s"];
    const end = await this.#inFile(signature, (file) => this.#keygen([...words, file], payload));
    const [found] = /SHA256:[\w+/]+/.exec(end.stdout.toString("utf8")) ?? [];
    return found ?? "what signed it (no key that can be told)";
  }

  async #inFile<T>(signature: string, use: (file: string) => Promise<T>): Promise<T> {
    const file = join(this.#place.folder, `signature-${uniqueSuffix()}`);
    writeFileAtomically(file, signature, { sync: "nothing" });
    try {
      return await use(file);
    } finally {
      discard(file);
    }
  }

  /** A name of the file that the key belongs to. */
  async #principal(from: readonly string[]): Promise<string> {
    const { stdout } = await this.#keygen(["-Y", "find-principals", ...from], "");
    const names = stdout.toString("utf8").split(/[\n,]/);
    return names.find((name) => name !== "" && !name.startsWith("!")) ?? rules;
  }

  #allowedSigners() {
    const path = join(homeFolder(), ".consulta", "allowed_signers");
    const text = readOwnFile(path, remoteLimits.placedBytes, "it says who may sign for whom");
    if (text === undefined) {
      const reason = `the events of this session are signed, and ${allowedSignersFile} is missing`;
      const way = "write a line for each participant: NAME ssh-ed25519 KEY, as in docs/machines.md";
      throw refused(`${reason}: ${way}`);
    }
    // As git asks: a key that is no longer valid signed what it signed while it was.
    const at = (payload: Buffer) =>
      text.includes("valid-") ? [`-Overify-time=${committedAt(payload)}`] : [];
    return { path, at };
  }

  /**
   * A file with the key that git signs with: gpg.format need not say so, which git before 2.34 rejects.
   * @throws ConsultaError REFUSED where it is none of ssh.
   */
  async #key(): Promise<string> {
    const words = ["config", "--get", "user.signingkey"];
    const key = (await this.#place.git.run({ words })).stdout.toString("utf8").trim();
    const [, literal] = /^(?:key::)?((?:ssh|ecdsa|sk)-\S+ \S+)/.exec(key) ?? [];
    if (literal !== undefined) {
      const file = join(this.#place.folder, "signing-key.pub");
      writeFileAtomically(file, `${literal}\n`, { sync: "nothing" });
      return file;
    }
    const path = key.startsWith("~/") ? join(homeFolder(), key.slice(2)) : key;
    if (isAbsolute(path) && existsSync(path)) return path;
    const fault = isAbsolute(path)
      ? `user.signingkey of git names ${path}, which is missing`
      : "git has no ssh key of yours to sign with";
    const reason = `nothing was sent: the events of this session are signed, and ${fault}`;
    const way =
      "git config --global gpg.format ssh; git config --global user.signingkey ~/.ssh/id_ed25519.pub";
    throw refused(`${reason}: ${way}`);
  }

  #keygen(words: readonly string[], input: Buffer | string): Promise<ProgramEnd> {
    const environment = {
      ...process.env,
      LC_ALL: "C",
      TZ: "UTC",
      SSH_ASKPASS: "",
      SSH_ASKPASS_REQUIRE: "never",
    };
    const { folder } = this.#place;
    const timeoutMs = remoteLimits.callMs;
    return runProgram(this.#program, words, { folder, environment, input, timeoutMs });
  }
}

export function isSigned(commit: Buffer): boolean {
  return takenApart(commit).signature !== undefined;
}

/** git keeps a signature as a header whose further lines begin with a blank. */
function withSignature(commit: Buffer, signature: string): Buffer {
  const head = commit.indexOf("\n\n");
  const header = `\ngpgsig ${signature.trimEnd().replaceAll("\n", "\n ")}`;
  return Buffer.concat([commit.subarray(0, head), Buffer.from(header), commit.subarray(head)]);
}

function takenApart(commit: Buffer): SignedCommit {
  const head = Math.max(0, commit.indexOf("\n\n"));
  const headers = commit.toString("latin1", 0, head).split(/\n(?! )/);
  const isSignature = (header: string) => header.startsWith("gpgsig");
  const [signature, ...more] = headers.filter(isSignature);
  const rest = Buffer.from(headers.filter((it) => !isSignature(it)).join("\n"), "latin1");
  const isOne = signature?.startsWith("gpgsig ") === true && more.length === 0;
  return {
    payload: Buffer.concat([rest, commit.subarray(head)]),
    signature: isOne ? `${signature.slice("gpgsig ".length).replaceAll("\n ", "\n")}\n` : undefined,
  };
}

/** As ssh-keygen reads a time: the one that the commit names. */
function committedAt(payload: Buffer): string {
  const [, seconds = "0"] =
    /^committer .* (\d{1,12}) [+-]\d{4}$/m.exec(payload.toString("latin1")) ?? [];
  const time = new Date(Number(seconds) * 1_000).toISOString();
  return time.slice(0, 19).replace(/\D/g, "");
}
