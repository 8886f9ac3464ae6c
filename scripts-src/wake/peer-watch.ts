import { plainWord } from "../base/escape-untrusted-text.ts";
import { type CliProcess, cliProcess, isInCli } from "../clis/cli-process.ts";
import { isRunning } from "../clis/is-running.ts";
import { ProcessExitWatch } from "../clis/process-exit.ts";
import type { SessionStatus } from "../protocol/protocol.ts";
import { systemClock } from "../script/clock.ts";
import type { Place } from "../session/place.ts";
import { peerStatusOf, registeredClis } from "../session/waiting/peer-status.ts";
import { absenceOf } from "./roles.ts";

/** A session in which a participant waits for others. */
export interface AwaitedPeer {
  readonly place: Place;
  readonly standing: SessionStatus;
}

/**
 * Who belongs to a wait: the CLI that began it, without which nobody hears of its end, and those who
 * have the turn.
 */
export class PeerWatch {
  readonly #participant: string;
  readonly #own: CliProcess | undefined;
  readonly #life = new ProcessExitWatch();
  /** The sessions in which everybody with the turn has ended, as far as that need not be told. */
  #known: ReadonlySet<string> | undefined;

  private constructor(participant: string, own: CliProcess | undefined) {
    this.#participant = participant;
    this.#own = own;
  }

  /** `isTold` where it was said before the wait who has ended. */
  static async open(participant: string, isTold: boolean): Promise<PeerWatch> {
    const watch = new PeerWatch(participant, isInCli() ? await cliProcess() : undefined);
    if (!isTold) watch.#known = new Set();
    return watch;
  }

  begin(notice: () => void): void {
    this.#life.begin(notice);
  }

  end(): void {
    this.#life.end();
  }

  /** Whether the CLI that began the wait has ended. */
  isAbandoned(): boolean {
    return this.#own !== undefined && isRunning(this.#own) === false;
  }

  /** Whose processes have ended since the last look, so that waiting may be in vain, in one line. */
  async look(awaited: readonly AwaitedPeer[]): Promise<string | undefined> {
    const processes = this.#own === undefined ? [] : [this.#own];
    const gone = new Map<string, string>();
    for (const { place, standing } of awaited) {
      const players = await registeredClis(place);
      processes.push(...players.map(({ process }) => process));
      const now = systemClock.now();
      const others = standing.waitingFor.filter((name) => name !== this.#participant);
      const colleagues = others.map((name) => peerStatusOf(place, name, standing, players, now));
      if (absenceOf(colleagues) !== "gone") continue;
      gone.set(place.folder, `${others.map(plainWord).join(" and ")} in ${place.id}`);
    }
    this.#life.keep(processes);
    const known = this.#known ?? new Set(gone.keys());
    this.#known = new Set(gone.keys());
    const news = [...gone].filter(([folder]) => !known.has(folder)).map(([, who]) => who);
    return news.length === 0 ? undefined : `whoever ran ${news.join(", ")} has ended`;
  }
}
