import { isRecord, type JsonObject, type JsonValue } from "../../base/json.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { cut } from "./injected-text.ts";
import { brainLimits } from "./limits.ts";

/** What a CLI's own task tool told of one task; what it did not say stays as it was. */
export interface TaskChange {
  readonly id: string;
  readonly subject?: string;
  readonly status?: string;
}

/** One line of a list of tasks. */
export interface Task {
  readonly subject: string;
  readonly status: string;
}

const openStatuses: readonly string[] = ["pending", "in_progress", "blocked"];

/** The tasks of a session that are not done, by id, after these changes. */
export function changedTasks(
  known: JsonValue | undefined,
  changes: readonly TaskChange[],
): JsonObject {
  const tasks = new Map(Object.entries(isRecord(known) ? known : {}).flatMap(taskIn));
  for (const { id, subject, status } of changes) {
    const before = tasks.get(id);
    const task = {
      subject: nameOf(subject ?? before?.subject ?? `task ${id}`),
      status: status ?? before?.status ?? "pending",
    };
    if (openStatuses.includes(task.status)) tasks.set(id, task);
    else tasks.delete(id);
  }
  return Object.fromEntries(
    [...tasks].slice(-brainLimits.openTasks).map(([id, task]) => [id, { ...task }]),
  );
}

/** The next session that reads it may be another vendor's. */
function nameOf(subject: string): string {
  return cut(withoutSecrets(subject).replace(/\s+/g, " "), brainLimits.taskCharacters);
}

/** What is open of a session's tasks, as text. */
export function openWorkOf(tasks: JsonObject): string {
  return openWorkText(
    Object.entries(tasks)
      .flatMap(taskIn)
      .map(([, task]) => task),
  );
}

/** The tasks of a list that are not done, one a line; empty when all are. */
export function openWorkText(tasks: readonly Task[]): string {
  return tasks
    .filter(({ status }) => openStatuses.includes(status))
    .slice(0, brainLimits.openTasks)
    .map(({ subject, status }) => {
      const name = nameOf(subject);
      return status === "pending" ? `- ${name}` : `- ${name} (${status.replace("_", " ")})`;
    })
    .join("\n");
}

function taskIn([id, value]: [string, unknown]): [string, Task][] {
  if (!isRecord(value)) return [];
  const { subject, status } = value;
  return typeof subject === "string" && typeof status === "string"
    ? [[id, { subject, status }]]
    : [];
}
