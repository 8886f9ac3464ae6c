import type { LogEvent } from "../log/event.ts";
import { readFiles } from "../session/read-files.ts";
import type { Happening, KindPage } from "./kind-page.ts";
import { readMarkdown } from "./read-markdown.ts";

/** A kind without a page of its own: what happened, and its report. */
export const plainPage: KindPage = {
  happenings: ({ events }) => events.map((it) => stepOf(it)),
  confidence: () => [],
  body: () => undefined,
  async part({ session, machine, before, events: all }) {
    const wanted = machine.filesWanted({ for: "inspection" });
    const files = await readFiles(session.place.folder, wanted);
    const today = { looked: [], changed: [] };
    const [from, events] = before === undefined ? [machine, []] : [before, all];
    const { verdict, facts, sections } = from.report(events, files, { today, delivery: false });
    const head = { heading: verdict, text: readMarkdown(facts.join("\n")) };
    const rest = sections.map(({ heading, lines }) => ({
      heading,
      text: readMarkdown(lines.join("\n")),
    }));
    return { of: "plain", sections: [head, ...rest] };
  },
};

/** An event as its writer summed it up; with the words for the scrubber where it is worth a look. */
export function stepOf({ seq, at, from: by, event, summary }: LogEvent, note?: string): Happening {
  const what = event.replaceAll("_", " ");
  return {
    ...{ seq, at, by },
    moment: note === undefined ? undefined : { what: "step", text: note },
    item: () => ({ as: "step", seq, at, by, what, text: summary }),
  };
}
