import { once } from "../base/once.ts";
import { normalized } from "./prose.ts";

/** What answers nothing, in the languages that people and models use here. */
interface Evasion {
  /** One of these is its first word: what a text cannot match is not compiled. */
  readonly firstWords: string;
  /** How a text begins that answers nothing, whatever follows. */
  readonly begins?: string;
  /** What says nothing where no more follows. */
  readonly whole?: string;
}

const latinEvasions: readonly Evasion[] = [
  // Nobody knows.
  {
    firstWords: "i we do don dont cannot can",
    begins: "(?:i |we )?(?:do not|don t|dont|cannot|can t) (?:know|say|tell)",
  },
  {
    firstWords: "das ich weiss wei\u00df",
    begins: "(?:das )?(?:ich )?wei(?:ss|\u00df) (?:ich )?(?:es )?nicht",
  },
  { firstWords: "keine", begins: "keine ahnung" },
  { firstWords: "non", begins: "non (?:lo )?so" },
  { firstWords: "je", begins: "je (?:ne )?sais pas" },
  { firstWords: "nao n\u00e3o", begins: "n[a\u00e3]o sei" },
  {
    firstWords: "no not nobody unknown unsure maybe perhaps",
    whole: "no idea|no (?:lo )?s[e\u00e9]|not sure|nobody knows|unknown|unsure|maybe|perhaps",
  },
  // It is somewhere else, or comes later.
  {
    firstWords: "see as",
    begins: "(?:see|as (?:said|noted|stated|explained)) (?:above|below|before|earlier)",
  },
  { firstWords: "siehe wie", begins: "(?:siehe|wie) (?:oben|unten|gesagt)" },
  { firstWords: "voir", begins: "voir (?:plus haut|ci dessus)" },
  { firstWords: "vedi ver", begins: "vedi sopra|ver (?:arriba|acima)" },
  {
    firstWords: "i we",
    begins: "(?:i|we) (?:will|ll) (?:check|look|answer|see)(?: it| this)?(?: up)? later",
  },
  {
    firstWords: "n tbd tba todo later to",
    whole: "n a|tbd|tba|todo|later|to be (?:done|determined|decided|defined)",
  },
  {
    firstWords: "sp\u00e4ter m\u00e1s plus pi\u00f9",
    whole: "sp\u00e4ter|m\u00e1s tarde|plus tard|pi\u00f9 tardi",
  },
  // It depends.
  {
    firstWords: "it that all depends",
    whole:
      "(?:it |that )?(?:all )?depends(?: on (?:the |your )?(?:situation|case|context|circumstances|requirements|use case|needs))?",
  },
  {
    firstWords: "das es kommt h\u00e4ngt",
    whole: "(?:das |es )?(?:kommt (?:ganz )?(?:darauf|drauf) an|h\u00e4ngt davon ab)",
  },
  {
    firstWords: "depende",
    whole: "depende(?: d(?:e|el|o|a)(?: la)? (?:situaci\u00f3n|caso|contexto|situa\u00e7\u00e3o))?",
  },
  { firstWords: "dipende", whole: "dipende(?: dal (?:caso|contesto))?" },
  { firstWords: "\u00e7a cela", whole: "(?:\u00e7a|cela) d\u00e9pend(?: du (?:cas|contexte))?" },
];

const otherBegins = [
  "(?:\u044f |\u043c\u044b )?\u043d\u0435 \u0437\u043d\u0430(?:\u044e|\u0435\u043c)|\u0437\u0430\u0442\u0440\u0443\u0434\u043d\u044f\u044e\u0441\u044c",
  "(?:\u77e5\u308a\u307e\u305b\u3093|\u308f\u304b\u308a\u307e\u305b\u3093|\u5206\u304b\u308a\u307e\u305b\u3093)",
  "(?:\u6211|\u6211\u4eec)?\u4e0d(?:\u77e5\u9053|\u6e05\u695a)",
  "\ubaa8\ub974",
  "\u0441\u043c(?:\u043e\u0442\u0440\u0438(?:\u0442\u0435)?)? \u0432\u044b\u0448\u0435|(?:\u043f\u0440\u043e\u0432\u0435\u0440\u044e|\u043e\u0442\u0432\u0435\u0447\u0443|\u0441\u043a\u0430\u0436\u0443) \u043f\u043e\u0437\u0436\u0435|\u043f\u043e\u0437\u0436\u0435 (?:\u043f\u0440\u043e\u0432\u0435\u0440\u044e|\u043e\u0442\u0432\u0435\u0447\u0443)",
  "(?:\u4e0a\u8a18|\u524d\u8ff0|\u898b\u4e0a|\u5982\u4e0a|\u89c1\u4e0a)",
];

const otherWholes = [
  "\u043f\u043e\u0437\u0436\u0435|\u5f85\u5b9a|\u672a\u5b9a",
  "(?:\u044d\u0442\u043e )?\u0437\u0430\u0432\u0438\u0441\u0438\u0442(?: \u043e\u0442 (?:\u0441\u0438\u0442\u0443\u0430\u0446\u0438\u0438|\u043a\u043e\u043d\u0442\u0435\u043a\u0441\u0442\u0430|\u0441\u043b\u0443\u0447\u0430\u044f|\u0437\u0430\u0434\u0430\u0447\u0438))?|\u043a\u043e\u0433\u0434\u0430 \u043a\u0430\u043a",
  "\u5834\u5408\u306b\u3088(?:\u308b|\u308a\u307e\u3059)|\u72b6\u6cc1\u306b\u3088(?:\u308b|\u308a\u307e\u3059)|(?:\u770b|\u89c6)\u60c5\u51b5(?:\u800c\u5b9a)?|\uc0c1\ud669\uc5d0 \ub530\ub77c \ub2e4\ub985\ub2c8\ub2e4",
];

const other = once(() => noneOf(otherBegins, otherWholes));

function noneOf(begins: readonly string[], wholes: readonly string[]): RegExp {
  const forms = [
    ...begins.map((it) => `(?:${it})(?![a-z])`),
    ...(wholes.length === 0 ? [] : [`(?:${wholes.join("|")})$`]),
  ];
  return new RegExp(`^(?:${forms.join("|")})`);
}

/** Of what begins with the first of these words; undefined where nothing does. */
function latinFor(words: string): RegExp | undefined {
  const [first = ""] = words.split(" ", 1);
  const found = latinEvasions.filter(({ firstWords }) => firstWords.split(" ").includes(first));
  if (found.length === 0) return undefined;
  return noneOf(
    found.flatMap(({ begins = [] }) => begins),
    found.flatMap(({ whole = [] }) => whole),
  );
}

/** Longer ones say more than that nobody knows. */
const shortCharacters = 60;

/** Whether words in the place of an answer are none: nobody knows, see above, it depends. */
export function isNoAnswer(text: string): boolean {
  const words = normalized(text);
  if (words === "" || words.length >= shortCharacters) return words === "";
  const none = /^[a-z\u00c0-\u024f]/.test(words) ? latinFor(words) : other();
  return none?.test(words) ?? false;
}
