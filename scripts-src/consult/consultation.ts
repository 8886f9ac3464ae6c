import type { CollaborationTerms } from "../collaboration/open-collaboration.ts";
import type { Mode } from "../protocol/config.ts";
import type { OnFull } from "../session/create-session.ts";
import type { KindName } from "../session/kinds.ts";
import type { Session } from "../session/session.ts";
import type { Workspace } from "../session/workspace/workspace.ts";
import type { Driver } from "./driver.ts";
import type { ParticipantSpec } from "./participants.ts";

/** What the user asked for: a question to open a session with, or a session to go on in. */
export interface ConsultationRequest {
  readonly question: string | undefined;
  readonly session: string | undefined;
  /** Go on in the open session in which somebody acted last. */
  readonly resume: boolean;
  /** Where a collaboration or a board is, or shall lie. */
  readonly folder: string | undefined;
  readonly kind: KindName | undefined;
  readonly participants: string | undefined;
  readonly mode: Mode | undefined;
  /** Of a new dialogue: consensus needs every claim seen by both sides. */
  readonly require?: "seen" | undefined;
  readonly terms: CollaborationTerms;
  /** The options of `terms` that came, as they are written. */
  readonly termsGiven: readonly string[];
  /** How long the run may take. */
  readonly timeLimitMs: number;
}

/** Where the workspace comes from: a question may make one, a session is in one. */
export interface WorkspaceSource {
  made(): Promise<Workspace>;
  found(): Workspace;
  readonly onFull: OnFull;
}

/** A session with all that runs its participants. */
export interface Consultation {
  readonly session: Session;
  readonly specs: readonly ParticipantSpec[];
  readonly drivers: ReadonlyMap<string, Driver>;
}
