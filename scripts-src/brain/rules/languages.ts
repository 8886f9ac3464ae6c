import { stemmer as stemDutch } from "@orama/stemmers/dutch";
import { stemmer as stemFrench } from "@orama/stemmers/french";
import { stemmer as stemGerman } from "@orama/stemmers/german";
import { stemmer as stemItalian } from "@orama/stemmers/italian";
import { stemmer as stemPortuguese } from "@orama/stemmers/portuguese";
import { stemmer as stemRussian } from "@orama/stemmers/russian";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";
import { stopwords as stopDutch } from "@orama/stopwords/dutch";
import { stopwords as stopFrench } from "@orama/stopwords/french";
import { stopwords as stopGerman } from "@orama/stopwords/german";
import { stopwords as stopItalian } from "@orama/stopwords/italian";
import { stopwords as stopPortuguese } from "@orama/stopwords/portuguese";
import { stopwords as stopRussian } from "@orama/stopwords/russian";
import { stopwords as stopSpanish } from "@orama/stopwords/spanish";
import { stopWords } from "../../base/stop-words.ts";
import { type CommonWords, commonWords } from "./domain-stop-words.ts";

/** A language beside English, whose stems the search index makes itself. */
export interface Language {
  readonly stem: (word: string) => string;
  /** Words that say nothing. */
  readonly stop: ReadonlySet<string>;
  /** Whether any prompt may hold a word, in whatever form. */
  readonly isEveryday: (word: string) => boolean;
}

const latin: readonly Language[] = [
  language(stemGerman, stopGerman, commonWords.de),
  language(stemFrench, stopFrench, commonWords.fr),
  language(stemSpanish, stopSpanish, commonWords.es),
  language(stemItalian, stopItalian, commonWords.it),
  language(stemPortuguese, stopPortuguese, commonWords.pt),
  language(stemDutch, stopDutch, commonWords.nl),
];
export const russian: Language = language(
  (word) => stemRussian(yo(word)),
  stopRussian,
  commonWords.ru,
);

export const allLanguages: readonly Language[] = [russian, ...latin];

/**
 * The languages beside English that a text may be written in, judged by its stop words, those of
 * other letters always; undefined when no word tells. `words` are in lower case, each once.
 */
export function languagesOf(words: readonly string[]): readonly Language[] | undefined {
  const counts = latin.map(({ stop }) => words.filter((word) => stop.has(word)).length);
  const english = words.filter((word) => stopWords.has(word)).length;
  const most = Math.max(...counts);
  if (most === 0 && english === 0) return undefined;
  return [russian, ...latin.filter((_, at) => counts[at] === most && most >= english)];
}

function language(
  stem: (word: string) => string,
  stop: readonly string[],
  { filler, everyday }: CommonWords,
): Language {
  // Made when they are needed first: a brain that starts is waited for.
  let stems: ReadonlySet<string> | undefined;
  return {
    stem,
    stop: new Set([...stop, ...filler.split(/\s+/)].map(yo)),
    isEveryday: (word) => {
      stems ??= new Set(everyday.split(/\s+/).map((it) => stem(it)));
      return stems.has(stem(word));
    },
  };
}

/** Russian is written with and without the dots. */
function yo(word: string): string {
  return word.replaceAll("ё", "е");
}
