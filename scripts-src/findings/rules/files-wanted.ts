import type { FileWanted, Purpose } from "../../protocol/protocol.ts";
import { knownNames } from "./known-findings.ts";
import type { BoardState } from "./state.ts";

/** The files that a rule of the board looks at. */
export function filesWanted(state: BoardState, purpose: Purpose): FileWanted[] {
  switch (purpose.for) {
    case "decision":
      // A report that is there already has its name.
      if (typeof purpose.fields["file"] === "string")
        return [{ path: pathOf(`${purpose.participant}/${purpose.fields["file"]}`), as: "file" }];
      return [agentsFile, folderOf(purpose.participant), markOf(purpose.participant)];
    case "guidance":
      return [folderOf(purpose.participant)];
    case "notice":
      return [agentsFile, ...state.agents.map(({ name }) => folderOf(name))];
    case "conclusion":
      return knownNames(state.findings).slice(0, findingsToldMax).map(fileOf);
    case "inspection":
      return [agentsFile, ...knownNames(state.findings).map(fileOf)];
  }
}

/** More find no room in what a board leaves. */
const findingsToldMax = 64;

const agentsFile = { path: "agents.md", as: "text" } as const;

function fileOf(finding: string): FileWanted {
  return { path: pathOf(finding), as: "text" };
}

function folderOf(agent: string): FileWanted {
  return { path: `findings/${agent}`, as: "names" };
}

/** Only whether it is there counts; it goes with the event to those who share the board. */
function markOf(agent: string): FileWanted {
  return { path: `findings/${agent}/.ready`, as: "file" };
}

/** Where a finding is below the board's folder. */
export function pathOf(finding: string): string {
  return `findings/${finding}`;
}
