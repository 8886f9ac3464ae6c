import { useContext } from "preact/hooks";
import type { MessageItem, SessionModel } from "./model.ts";
import { Section, ShownIn, Who } from "./parts.tsx";

interface Props {
  readonly model: SessionModel;
  /** What an agreement needs. */
  readonly threshold: number;
}

/** How sure each participant says that it is, now and message by message. */
export function Confidence({ model: { items }, threshold }: Props) {
  const { names = [] } = useContext(ShownIn);
  const said = items.filter(
    (it): it is MessageItem => it.as === "message" && it.message.confidence !== undefined,
  );
  const sure = names.flatMap((name) => said.findLast(({ by }) => by === name) ?? []);
  return (
    <Section title="Confidence" className="confidence">
      {sure.map(({ by, message }) => (
        <>
          <Who name={by} /> {message.confidence},{" "}
        </>
      ))}
      {sure.length === 0 ? "Nobody has said how sure it is." : `needed ${threshold}`}
      {sure.length === 0 ? null : (
        <details>
          <summary>By message</summary>
          <table>
            <caption class="unseen">Confidence by message, in the participants' own word</caption>
            <tbody>
              {said.map(({ seq, by, message }) => (
                <tr>
                  <th scope="row">{`#${seq}`}</th>
                  <td>
                    <Who name={by} />
                  </td>
                  <td>{message.confidence}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </Section>
  );
}
