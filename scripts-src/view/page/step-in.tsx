import { useRef, useState } from "preact/hooks";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import type { SessionModel } from "./model.ts";
import { FaultText, Section } from "./parts.tsx";

export type Verb = "say" | "answer" | "decide" | "pause" | "resume" | "end";

/** What the person does; the same id again is the same act. */
export interface ActionRequest {
  readonly verb: Verb;
  readonly text: string;
  readonly to: string;
  readonly id: string;
}

/** Does it; returns what went wrong, "" for nothing. */
export type DoAct = (wish: ActionRequest) => Promise<string>;

interface Props {
  readonly model: SessionModel;
  readonly doAct: DoAct;
}

const wantedTitles = { answer: "They ask you", decision: "Yours to decide" } as const;

const wantedForms = {
  answer: { label: "Your answer", button: "Answer", verb: "answer" },
  decision: { label: "What you decided", button: "Decide", verb: "decide" },
} as const;

/** What waits for the person, where something does: before everything else. */
export function Wanted({ model: { part, status }, doAct }: Props) {
  const wanted = status.needsPerson;
  if (wanted === undefined) return null;
  const { wants, text } = wanted;
  // What the sides would have the person decide; "" where they are not of one mind.
  const isRecommended = wants === "decision" && part.of === "dialogue";
  const recommended = isRecommended ? (part.decision?.position ?? "") : "";
  return (
    <section class="wanted" aria-label="Waits for you">
      <h2>{wants === "way out" ? <>Needs a way out</> : wantedTitles[wants]}</h2>
      {recommended === "" ? null : (
        <p>
          They recommend: <strong class="theirs">{oneLine(recommended)}</strong>
        </p>
      )}
      <p>
        {recommended === "" ? null : "Why it is yours: "}
        <span class="theirs wrapped">{visibleText(text)}</span>
      </p>
      {wants === "way out" ? (
        <p>Clear what blocks it, then tell its owner to append unblocked; or end it.</p>
      ) : (
        <Say {...wantedForms[wants]} doAct={doAct} suggestion={recommended} />
      )}
    </section>
  );
}

/** How the person takes part: each act is an event of the log, in their own name. */
export function StepInForm({ model, doAct }: Props) {
  const { status, participants, mayEnd } = model;
  if (status.ended) return null;
  const isPaused = status.paused !== undefined;
  const names = participants.map(({ name }) => name);
  return (
    <Section title="Step in" className="step-in">
      {isPaused ? <Paused busy={status.paused?.stillBusy ?? []} /> : null}
      <Say label="Say something" button="Say it" verb="say" doAct={doAct} to={names} />
      <div class="buttons">
        <Press
          text={isPaused ? "Resume" : "Pause"}
          verb={isPaused ? "resume" : "pause"}
          doAct={doAct}
        />
        {mayEnd ? <End doAct={doAct} /> : null}
      </div>
    </Section>
  );
}

/** A CLI cannot be stopped in the middle of a turn: who has not come to the pause is said. */
function Paused({ busy }: { busy: readonly string[] }) {
  const [has, turn] = busy.length === 1 ? ["has", "its turn"] : ["have", "their turns"];
  return (
    <p class="warning own">
      <strong>Paused:</strong> no further turn is given.{" "}
      {busy.length === 0
        ? "Everybody has reached the pause."
        : `${busy.map(oneLine).join(" and ")} ${has} not reached it yet and may still end ${turn}.`}
    </p>
  );
}

/** One act at a time: what was sent twice, by a double click or because no answer came, is done once. */
function useAct(doAct: DoAct) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const open = useRef({ id: crypto.randomUUID(), isSent: false });
  const run = async (verb: Verb, text: string, to: string): Promise<boolean> => {
    if (open.current.isSent) return false;
    open.current.isSent = true;
    setBusy(true);
    const said = await doAct({ verb, text, to, id: open.current.id });
    open.current = { id: said === "" ? crypto.randomUUID() : open.current.id, isSent: false };
    setBusy(false);
    setFault(said);
    return said === "";
  };
  return { isBusy, fault, run };
}

interface SayProps {
  readonly label: string;
  readonly button: string;
  readonly verb: Verb;
  readonly doAct: DoAct;
  /** To whom it may be said. */
  readonly to?: readonly string[];
  /** Words that may be taken over into the field, and changed there. */
  readonly suggestion?: string;
}

function Say({ label, button, verb, doAct, to = [], suggestion = "" }: SayProps) {
  const [text, setText] = useState("");
  const [whom, setWhom] = useState("");
  const { isBusy, fault, run } = useAct(doAct);
  const id = `field-${verb}`;
  const send = async () => {
    if (text.trim() !== "" && (await run(verb, text.trim(), whom))) setText("");
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="buttons">
        {to.length < 2 ? null : <Whom names={to} whom={whom} onChoose={setWhom} />}
        <button type="submit" class="first" disabled={isBusy || text.trim() === ""}>
          {button}
        </button>
        {suggestion === "" || text !== "" ? null : (
          <button type="button" onClick={() => setText(suggestion)}>
            Take over their words
          </button>
        )}
      </div>
      <FaultText text={fault} />
    </form>
  );
}

interface WhomProps {
  readonly names: readonly string[];
  readonly whom: string;
  readonly onChoose: (name: string) => void;
}

function Whom({ names, whom, onChoose }: WhomProps) {
  return (
    <select
      aria-label="to"
      value={whom}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">to all</option>
      {names.map((name) => (
        <option key={name} value={name}>{`to ${oneLine(name)}`}</option>
      ))}
    </select>
  );
}

function Press({ text, verb, doAct }: { text: string; verb: Verb; doAct: DoAct }) {
  const { isBusy, fault, run } = useAct(doAct);
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void run(verb, "", "")}>
        {text}
      </button>
      <FaultText text={fault} />
    </>
  );
}

/** Ends a session for good, so it asks for the reason first. */
function End({ doAct }: { doAct: DoAct }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <div class="full">
      <Say label="Why it ends here" button="End the session" verb="end" doAct={doAct} />
      <button type="button" onClick={() => setOpen(false)}>
        Keep it open
      </button>
    </div>
  ) : (
    <button type="button" onClick={() => setOpen(true)}>
      End it…
    </button>
  );
}
