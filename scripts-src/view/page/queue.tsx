import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { Sparkline } from "./chart.tsx";
import { phaseText, type Shown } from "./display-format.ts";
import { type Queue, type QueueGroup, type QueueRow, queueGroups } from "./model.ts";
import { Lasting, When, Who } from "./who.tsx";

const titles: Readonly<Record<QueueGroup, string>> = {
  waits: "Waits for you",
  failed: "Failed",
  finished: "Finished, not seen by you yet",
  running: "Running",
  idle: "Idle",
  earlier: "Earlier",
};

/** Of a group that only looks back so many are shown until somebody asks for more. */
const shownFirst: Readonly<Record<QueueGroup, number>> = {
  waits: 500,
  failed: 100,
  finished: 100,
  running: 100,
  idle: 50,
  earlier: 20,
};

/** All sessions, what wants the person first. */
export function NeedsYou({
  queue,
  now,
  opened,
  onOpen,
}: {
  queue: Queue;
  now: number;
  /** Groups of which all is to be shown. */
  opened: ReadonlySet<QueueGroup>;
  onOpen: (group: QueueGroup) => void;
}) {
  const countOf = (it: QueueGroup) => queue.rows.filter(({ group }) => group === it).length;
  const [waiting, failed] = [countOf("waits"), countOf("failed")];
  return (
    <main class="queue">
      <h1>Needs you</h1>
      <p class="lead">
        {waiting + failed === 0
          ? queue.rows.length === 0
            ? "There is no session here yet. Begin one with init or consult; it appears here by itself."
            : "Nothing waits for you"
          : [...waitText(waiting), ...(failed === 0 ? [] : [`${failed} failed`])].join(", ")}
      </p>
      {queueGroups.map((group) => (
        <Group
          key={group}
          group={group}
          rows={queue.rows.filter((it) => it.group === group)}
          isOneProject={queue.projects.length < 2}
          {...{ now, opened, onOpen }}
        />
      ))}
    </main>
  );
}

function waitText(count: number): string[] {
  if (count === 0) return ["Nothing waits for you"];
  return [`${plural(count, "session")} ${count === 1 ? "waits" : "wait"} for you`];
}

function Group({
  group,
  rows,
  now,
  isOneProject,
  opened,
  onOpen,
}: {
  group: QueueGroup;
  rows: readonly QueueRow[];
  now: number;
  isOneProject: boolean;
  opened: ReadonlySet<QueueGroup>;
  onOpen: (group: QueueGroup) => void;
}) {
  if (rows.length === 0) return null;
  const max = opened.has(group) ? rows.length : shownFirst[group];
  return (
    <section class={`group ${group}`}>
      <h2>
        {titles[group]} <span class="count">{rows.length}</span>
      </h2>
      <ul>
        {rows.slice(0, max).map((row) => (
          <Row key={row.key} row={row} now={now} isOneProject={isOneProject} />
        ))}
      </ul>
      {rows.length > max ? (
        <button
          type="button"
          onClick={() => onOpen(group)}
        >{`Show ${rows.length - max} more`}</button>
      ) : null}
    </section>
  );
}

function Row({ row, now, isOneProject }: { row: QueueRow; now: number; isOneProject: boolean }) {
  const shown = { now, names: row.participants };
  return (
    <li>
      <a class="row" href={`#/s/${encodeURIComponent(row.key)}`}>
        <span class="topic">{oneLine(row.topic) || oneLine(row.id)}</span>
        <span class="why">
          <Turn row={row} shown={shown} />
        </span>
        <span class="about">
          {row.kind === "" ? "" : phaseText(row.kind)}
          {isOneProject ? null : <> · {oneLine(row.project)}</>}{" "}
          <When
            at={row.lastAt}
            shown={shown}
            before={row.group === "running" || row.group === "idle" ? "last event" : ""}
          />
        </span>
        <Sparkline trails={row.confidence} shown={shown} />
      </a>
    </li>
  );
}

/** Who has the turn, where nothing else is to be said. */
function Turn({ row, shown }: { row: QueueRow; shown: Shown }) {
  if (row.why !== "") return <>{oneLine(row.why)}</>;
  return (
    <>
      {row.turn.map((name, index) => (
        <>
          {index === 0 ? "" : " and "}
          <Who name={name} shown={shown} />
        </>
      ))}
      {turnText(row)} <Lasting at={row.turnAt} shown={shown} />
    </>
  );
}

function turnText({ kind, turn }: QueueRow): string {
  const isOne = turn.length === 1;
  if (kind === "findings") return isOne ? " is not ready" : " are not ready";
  return isOne ? " has the turn" : " have the turn";
}
