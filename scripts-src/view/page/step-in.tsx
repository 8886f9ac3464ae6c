import { useRef, useState } from "preact/hooks";
import { oneLine, visibleText } from "../../base/visible-text.ts";
import type { PersonModel, SessionModel } from "./model.ts";
import { FaultText, PageSection } from "./session-parts.tsx";

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

/** What waits for the person, where something does: before everything else. */
export function Wanted({ model, doAct }: { model: SessionModel; doAct: DoAct }) {
  const { wanted } = model.person;
  if (wanted === undefined) return null;
  const isAnswer = wanted.wants === "answer";
  const recommended = isAnswer ? "" : recommendedIn(model);
  if (wanted.wants === "way out")
    return (
      <section class="wanted" aria-label="Waits for you">
        <h2>Needs a way out</h2>
        <p class="theirs text">{visibleText(wanted.text)}</p>
        <p>Clear what blocks it, then tell its owner to append unblocked; or end it.</p>
      </section>
    );
  return (
    <section class="wanted" aria-label="Waits for you">
      <h2>{isAnswer ? "They ask you" : "Yours to decide"}</h2>
      {recommended === "" ? null : (
        <p class="recommended">
          They recommend: <span class="theirs">{oneLine(recommended)}</span>
        </p>
      )}
      <p class="text">
        {recommended === "" ? null : "Why it is yours: "}
        <span class="theirs">{visibleText(wanted.text)}</span>
      </p>
      <Say
        label={isAnswer ? "Your answer" : "What you decided"}
        button={isAnswer ? "Answer" : "Decide"}
        verb={isAnswer ? "answer" : "decide"}
        doAct={doAct}
        suggestion={recommended}
      />
    </section>
  );
}

/** What the sides would have the person decide; "" where they are not of one mind. */
function recommendedIn({ part }: SessionModel): string {
  return part.of === "dialogue" ? (part.decision?.position ?? "") : "";
}

/** How the person takes part: each act is an event of the log, in their own name. */
export function StepInForm({ model, doAct }: { model: SessionModel; doAct: DoAct }) {
  const { person, participants } = model;
  if (!person.maySay && !person.mayPause && !person.mayEnd) return null;
  return (
    <PageSection title="Step in" className="step-in">
      {person.pause === undefined ? null : <Paused person={person} />}
      {person.maySay ? (
        <Say
          label="Say something"
          button="Say it"
          verb="say"
          doAct={doAct}
          to={participants.map(({ name }) => name)}
        />
      ) : null}
      <div class="buttons">
        {person.mayPause ? (
          <Press
            text={person.pause === undefined ? "Pause" : "Resume"}
            verb={person.pause === undefined ? "pause" : "resume"}
            doAct={doAct}
          />
        ) : null}
        {person.mayEnd ? <End doAct={doAct} /> : null}
      </div>
    </PageSection>
  );
}

/** A CLI cannot be stopped in the middle of a turn: who has not come to the pause is said. */
function Paused({ person }: { person: PersonModel }) {
  const { notYet = [] } = person.pause ?? {};
  return (
    <p class="paused">
      <strong>Paused:</strong> no further turn is given.{" "}
      {notYet.length === 0
        ? "Everybody has reached the pause."
        : `${notYet.map(oneLine).join(" and ")} ${notYet.length === 1 ? "has" : "have"} not reached it yet and may still end ${notYet.length === 1 ? "its turn" : "their turns"}.`}
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

function Say({
  label,
  button,
  verb,
  doAct,
  to = [],
  suggestion = "",
}: {
  label: string;
  button: string;
  verb: Verb;
  doAct: DoAct;
  to?: readonly string[];
  /** Words that may be taken over into the field, and changed there. */
  suggestion?: string;
}) {
  const [text, setText] = useState("");
  const [whom, setWhom] = useState("");
  const { isBusy, fault, run } = useAct(doAct);
  const id = `field-${verb}`;
  const send = async () => {
    if (text.trim() !== "" && (await run(verb, text.trim(), whom))) setText("");
  };
  return (
    <form
      class="say"
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
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="buttons">
        {to.length < 2 ? null : (
          <>
            <label class="unseen" for={`${id}-to`}>
              to
            </label>
            <select
              id={`${id}-to`}
              value={whom}
              onChange={(event) => setWhom(event.currentTarget.value)}
            >
              <option value="">to all</option>
              {to.map((name) => (
                <option key={name} value={name}>{`to ${oneLine(name)}`}</option>
              ))}
            </select>
          </>
        )}
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
  if (!isOpen)
    return (
      <button type="button" class="end" onClick={() => setOpen(true)}>
        End it…
      </button>
    );
  return (
    <div class="ending">
      <Say label="Why it ends here" button="End the session" verb="end" doAct={doAct} />
      <button type="button" onClick={() => setOpen(false)}>
        Keep it open
      </button>
    </div>
  );
}
