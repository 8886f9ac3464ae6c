import { resolve } from "node:path";
import type { JsonObject } from "../base/json.ts";
import { asLine } from "../base/visible-text.ts";
import type { Turn } from "./driver.ts";
import type { PersonForm } from "./person.ts";

/**
 * Asks a person for an event of a collaboration. Documents it edits itself, before: they are files,
 * and nobody writes them at a prompt.
 */
export async function askEvent(form: PersonForm, { guidance, place }: Turn): Promise<JsonObject> {
  const { moves, documents } = guidance;
  const events = [...new Set(moves.map(({ options }) => options["event"] ?? ""))];
  const event = await form.choice("event", events, events[0] ?? "");
  const { input, options } = moves.find((move) => move.options["event"] === event) ?? {};
  if (documents.length > 0 && event !== "blocked") {
    form.show(`Edit these first, in an editor:\n${listed(place.folder, documents)}`);
    await form.askWithDefault("Enter when they are saved", "");
  }
  if (options?.["review"] === undefined) return { event, summary: await form.line("summary", "") };
  form.show(`Your review has these parts:\n\n${String(input)}\n`);
  const review = await form.text("review");
  return { event, summary: await form.line("summary", ""), review };
}

function listed(folder: string, documents: readonly string[]): string {
  return documents.map((path) => `  ${asLine(resolve(folder, path))}\n`).join("");
}
