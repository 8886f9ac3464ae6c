/** Enough to know a file by. */
const charactersMax = 60;

/** The topic of a report, from the words of its title that a file's name can hold. */
export function topicOfTitle(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
  if (words.length <= charactersMax) return words === "" ? "finding" : words;
  const cut = words.slice(0, charactersMax + 1).replace(/ [^ ]*$/, "");
  return cut.slice(0, charactersMax);
}
