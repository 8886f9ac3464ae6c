import { cut } from "../../brain/rules/injected-text.ts";
import { brainLimits } from "../../brain/rules/limits.ts";
import { openWorkText, type Task, type TaskChange } from "../../brain/rules/open-tasks.ts";
import { fieldText, recordAt } from "../../brain/rules/transcript-line.ts";

/** What a use of a CLI's own task tool says about open work. */
interface WorkTold {
  /** The whole list, as text. */
  readonly open_work?: string;
  /** Only what changed. */
  readonly tasks?: TaskChange[];
}

type Reader = (input: unknown, response: unknown) => WorkTold | undefined;

/** The task tools of Claude Code (two generations) and of Gemini CLI. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["TaskCreate", (_input, response) => changesOf([recordAt(response, "task")])],
  ["TaskList", (_input, response) => changesOf(listAt(response, "tasks"))],
  ["TaskUpdate", changeOf],
  ["TodoWrite", (input) => wholeList(listAt(input, "todos"), "content")],
  ["write_todos", (input) => wholeList(listAt(input, "todos"), "description")],
]);

export function isTaskTool(name: unknown): boolean {
  return typeof name === "string" && readers.has(name);
}

/** What the use of a tool says about open work; undefined for other tools, and when it failed. */
export function workToldBy(name: unknown, input: unknown, response: unknown): WorkTold | undefined {
  return typeof name === "string" ? readers.get(name)?.(input, response) : undefined;
}

function changeOf(input: unknown, response: unknown): WorkTold | undefined {
  if (Object(response)["success"] === false) return undefined;
  return changesOf([{ ...Object(input), id: fieldText(input, "taskId") }]);
}

function changesOf(entries: readonly unknown[]): WorkTold | undefined {
  const tasks = entries.flatMap((entry) => {
    const id = fieldText(entry, "id");
    if (id === undefined) return [];
    const subject = fieldText(entry, "subject");
    const status = fieldText(entry, "status");
    return [
      {
        id: cut(id, idCharacters),
        ...(subject === undefined ? {} : { subject: cut(subject, brainLimits.taskCharacters) }),
        ...(status ? { status: cut(status, statusCharacters) } : {}),
      },
    ];
  });
  return tasks.length === 0 ? undefined : { tasks };
}

/** The brain takes no longer ones (`brain/rules/session-methods.ts`). */
const idCharacters = 64;
const statusCharacters = 32;

/** `subjectField` is the field that holds what a task is about: each CLI has its own name for it. */
function wholeList(entries: readonly unknown[], subjectField: string): WorkTold {
  const tasks = entries.flatMap((entry): Task[] => {
    const subject = fieldText(entry, subjectField);
    return subject === undefined
      ? []
      : [{ subject, status: fieldText(entry, "status") ?? "pending" }];
  });
  return { open_work: openWorkText(tasks) };
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const field = Object(value)[name];
  return Array.isArray(field) ? field : [];
}
