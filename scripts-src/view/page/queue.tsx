import { useState } from "preact/hooks";
import { plural } from "../../base/plural.ts";
import { oneLine } from "../../base/visible-text.ts";
import { phaseText } from "./display-format.ts";
import { type Queue, type QueueGroup, type QueueRow, queueGroups } from "./model.ts";
import { Lasting, ShownIn, When, Who } from "./parts.tsx";

const titles: Readonly<Record<QueueGroup, string>> = {
  waits: "Waits for you",
  failed: "Failed",
  finished: "Finished, not seen by you yet",
  running: "Running",
  idle: "Idle",
  earlier: "Earlier",
};

/** Of a group so many are shown until somebody asks for more. */
const shownFirst = 50;

/** All sessions, what wants the person first. */
export function NeedsYou({ queue, now }: { queue: Queue; now: number }) {
  const { rows, projects } = queue;
  const countOf = (it: QueueGroup) => rows.filter(({ group }) => group === it).length;
  const [waiting, failed] = [countOf("waits"), countOf("failed")];
  const waits = `${plural(waiting, "session")} ${waiting === 1 ? "waits" : "wait"} for you`;
  const lead = [
    waiting === 0 ? "Nothing waits for you" : waits,
    failed === 0 ? "" : `${failed} failed`,
  ];
  return (
    <main class="queue">
      <h1>Needs you</h1>
      <p class="quiet">
        {rows.length === 0
          ? "There is no session here yet. Begin one with init or consult; it appears here by itself."
          : lead.filter(Boolean).join(", ")}
      </p>
      {queueGroups.map((group) => (
        <Group
          key={group}
          group={group}
          rows={rows.filter((it) => it.group === group)}
          isOneProject={projects.length < 2}
          now={now}
        />
      ))}
    </main>
  );
}

interface GroupProps {
  readonly group: QueueGroup;
  readonly rows: readonly QueueRow[];
  readonly isOneProject: boolean;
  readonly now: number;
}

function Group({ group, rows, isOneProject, now }: GroupProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? rows : rows.slice(0, shownFirst);
  return rows.length === 0 ? null : (
    <section class={`group ${group}`}>
      <h2>
        {titles[group]} <span class="count">{rows.length}</span>
      </h2>
      {shown.map((row) => (
        <ShownIn.Provider key={row.key} value={{ now, names: row.participants }}>
          <Row row={row} isOneProject={isOneProject} />
        </ShownIn.Provider>
      ))}
      {rows.length === shown.length ? null : (
        <button type="button" onClick={() => setOpen(true)}>
          {`Show ${rows.length - shown.length} more`}
        </button>
      )}
    </section>
  );
}

function Row({ row, isOneProject }: { row: QueueRow; isOneProject: boolean }) {
  const { key, topic, id, kind, project, lastAt, group, confidence } = row;
  const isGoing = group === "running" || group === "idle";
  const sure = Object.entries(confidence);
  return (
    <a class="row" href={`#/s/${encodeURIComponent(key)}`}>
      <strong>{oneLine(topic) || oneLine(id)}</strong>
      <span class="why">
        <Turn row={row} />
      </span>
      <span class="quiet">
        {phaseText(kind)}
        {isOneProject ? "" : ` · ${oneLine(project)}`}{" "}
        <When at={lastAt} before={isGoing ? "last event" : ""} />
        {sure.length === 0 ? null : (
          <span class="place">
            sure:{" "}
            {sure.map(([name, value]) => (
              <>
                <Who name={name} /> {value}{" "}
              </>
            ))}
          </span>
        )}
      </span>
    </a>
  );
}

/** Who has the turn, where nothing else is to be said. */
function Turn({ row: { why, turn, turnAt, kind } }: { row: QueueRow }) {
  if (why !== "") return <>{oneLine(why)}</>;
  const [one, many] =
    kind === "findings" ? ["is not ready", "are not ready"] : ["has the turn", "have the turn"];
  return (
    <>
      {turn.map((name, index) => (
        <>
          {index === 0 ? "" : " and "}
          <Who name={name} />
        </>
      ))}{" "}
      {turn.length === 1 ? one : many} <Lasting at={turnAt} />
    </>
  );
}
