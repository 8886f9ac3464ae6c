import { whenNeeded } from "../base/when-needed.ts";
import { normalized } from "./prose.ts";

/** How a text begins that answers nothing, in the languages that people and models use here. */
const latinBegins = [
  // Nobody knows.
  "(?:i |we )?(?:do not|don t|dont|cannot|can t) (?:know|say|tell)",
  "(?:das )?(?:ich )?wei(?:ss|\u00df) (?:ich )?(?:es )?nicht|keine ahnung",
  "non (?:lo )?so|je (?:ne )?sais pas|n[a\u00e3]o sei",
  // It is somewhere else, or comes later.
  "(?:see|as (?:said|noted|stated|explained)) (?:above|below|before|earlier)",
  "(?:siehe|wie) (?:oben|unten|gesagt)|voir (?:plus haut|ci dessus)|vedi sopra|ver (?:arriba|acima)",
  "(?:i|we) (?:will|ll) (?:check|look|answer|see)(?: it| this)?(?: up)? later",
];
const otherBegins = [
  "(?:\u044f |\u043c\u044b )?\u043d\u0435 \u0437\u043d\u0430(?:\u044e|\u0435\u043c)|\u0437\u0430\u0442\u0440\u0443\u0434\u043d\u044f\u044e\u0441\u044c",
  "(?:\u77e5\u308a\u307e\u305b\u3093|\u308f\u304b\u308a\u307e\u305b\u3093|\u5206\u304b\u308a\u307e\u305b\u3093)",
  "(?:\u6211|\u6211\u4eec)?\u4e0d(?:\u77e5\u9053|\u6e05\u695a)",
  "\ubaa8\ub974",
  "\u0441\u043c(?:\u043e\u0442\u0440\u0438(?:\u0442\u0435)?)? \u0432\u044b\u0448\u0435|(?:\u043f\u0440\u043e\u0432\u0435\u0440\u044e|\u043e\u0442\u0432\u0435\u0447\u0443|\u0441\u043a\u0430\u0436\u0443) \u043f\u043e\u0437\u0436\u0435|\u043f\u043e\u0437\u0436\u0435 (?:\u043f\u0440\u043e\u0432\u0435\u0440\u044e|\u043e\u0442\u0432\u0435\u0447\u0443)",
  "(?:\u4e0a\u8a18|\u524d\u8ff0|\u898b\u4e0a|\u5982\u4e0a|\u89c1\u4e0a)",
];

/** What says nothing where no more follows. */
const latinWholes = [
  "no idea|unknown|not sure|unsure|n a|nobody knows|tbd|tba|todo|later|to be (?:done|determined|decided|defined)|maybe|perhaps",
  "no (?:lo )?s[e\u00e9]|sp\u00e4ter|m\u00e1s tarde|plus tard|pi\u00f9 tardi",
  "(?:it |that )?(?:all )?depends(?: on (?:the |your )?(?:situation|case|context|circumstances|requirements|use case|needs))?",
  "(?:das |es )?(?:kommt (?:ganz )?(?:darauf|drauf) an|h\u00e4ngt davon ab)",
  "depende(?: d(?:e|el|o|a)(?: la)? (?:situaci\u00f3n|caso|contexto|situa\u00e7\u00e3o))?|dipende(?: dal (?:caso|contesto))?|(?:\u00e7a|cela) d\u00e9pend(?: du (?:cas|contexte))?",
];
const otherWholes = [
  "\u043f\u043e\u0437\u0436\u0435|\u5f85\u5b9a|\u672a\u5b9a",
  "(?:\u044d\u0442\u043e )?\u0437\u0430\u0432\u0438\u0441\u0438\u0442(?: \u043e\u0442 (?:\u0441\u0438\u0442\u0443\u0430\u0446\u0438\u0438|\u043a\u043e\u043d\u0442\u0435\u043a\u0441\u0442\u0430|\u0441\u043b\u0443\u0447\u0430\u044f|\u0437\u0430\u0434\u0430\u0447\u0438))?|\u043a\u043e\u0433\u0434\u0430 \u043a\u0430\u043a",
  "\u5834\u5408\u306b\u3088(?:\u308b|\u308a\u307e\u3059)|\u72b6\u6cc1\u306b\u3088(?:\u308b|\u308a\u307e\u3059)|(?:\u770b|\u89c6)\u60c5\u51b5(?:\u800c\u5b9a)?|\uc0c1\ud669\uc5d0 \ub530\ub77c \ub2e4\ub985\ub2c8\ub2e4",
];

/** Of the letters that a text begins with: compiling all of them takes 2 ms at each start. */
const latin = whenNeeded(() => noneOf(latinBegins, latinWholes));
const other = whenNeeded(() => noneOf(otherBegins, otherWholes));

function noneOf(begins: readonly string[], wholes: readonly string[]): RegExp {
  return new RegExp(`^(?:(?:${begins.join("|")})(?![a-z])|(?:${wholes.join("|")})$)`);
}

/** Longer ones say more than that nobody knows. */
const shortCharacters = 60;

/** Whether words in the place of an answer are none: nobody knows, see above, it depends. */
export function isNoAnswer(text: string): boolean {
  const words = normalized(text);
  if (words === "" || words.length >= shortCharacters) return words === "";
  const none = /^[a-z\u00c0-\u024f]/.test(words) ? latin() : other();
  return none.test(words);
}
