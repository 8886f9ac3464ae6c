import { readFiles } from "../session/read-files.ts";
import type { KindPage } from "./kind-page.ts";
import type { Item } from "./page/model.ts";
import { readMarkdown } from "./read-markdown.ts";

/** A kind without a page of its own: what happened, and its report. */
export const plainPage: KindPage = {
  items: ({ events }) => events.map(stepOf),
  moments: () => [],
  confidence: () => [],
  body: () => undefined,
  async part({ session, machine, ...told }) {
    const wanted = machine.filesWanted({ for: "inspection" });
    const files = await readFiles(session.place.folder, wanted);
    const today = { looked: [], changed: [] };
    const [from, events] = told.before === undefined ? [machine, []] : [told.before, told.events];
    const { verdict, facts, sections } = from.report(events, files, { today, delivery: false });
    const head = { heading: verdict, text: readMarkdown(facts.join("\n")) };
    const rest = sections.map(({ heading, lines }) => ({
      heading,
      text: readMarkdown(lines.join("\n")),
    }));
    return { of: "plain", sections: [head, ...rest] };
  },
};

/** An event as its writer summed it up. */
export function stepOf(event: {
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  readonly event: string;
  readonly summary: string;
}): Item {
  const { seq, at, from: by, event: what, summary: text } = event;
  return { as: "step", seq, at, by, what: what.replaceAll("_", " "), text };
}
