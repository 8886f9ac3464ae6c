import { bundledFixture } from "../bundled-fixture.ts";

/** The shell line that plays a participant by script, in a session of any kind: no AI, no account. */
export function scriptedLine(): string {
  return `"${process.execPath}" "${bundledFixture("test/consult/scripted-peer.fixture.ts")}"`;
}

/** The same as a driver. */
export function scripted(): string {
  return `command:${scriptedLine()}`;
}
