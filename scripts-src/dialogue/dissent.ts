import { statesDisagreement } from "./markers.ts";
import { ownWords } from "./prose.ts";

/**
 * The sentences that hold words of dissent, as they stand: what an AGREE still objects to. Nothing is
 * rejected for it, a sentence is only kept; so more languages and looser forms count than elsewhere.
 */
export function dissentIn(text: string): string[] {
  const sentences = text.split(/(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+/);
  const found = sentences.map((it) => it.trim()).filter(dissents);
  const isWhole = found.length === 0 && statesDisagreement(text) && !isDenied(text);
  // Words that are dissent only together.
  return isWhole ? [text.trim()] : found;
}

function dissents(sentence: string): boolean {
  const words = ownWords(sentence).replace(denials(), " ");
  return statesDisagreement(words) || signs().test(words);
}

function isDenied(text: string): boolean {
  return !statesDisagreement(ownWords(text).replace(denials(), " "));
}

let denialsMade: RegExp | undefined;

/** That there is no dissent says the opposite of the words in it. */
function denials(): RegExp {
  denialsMade ??= new RegExp(
    [
      "(?:no|not|never|nothing|without|(?:do|does|did|can)(?: not|n't)|no longer)(?: any| a| further| more| other| longer)*(?: to)? (?:objections?|object|disagree(?:ment)?|concerns?|reservations?|doubts?|oppose[ds]?)",
      "(?:keine?n?|ohne)(?: \\p{L}+)? (?:einw[a\u00e4]nde?|bedenken|vorbehalte?|zweifel)|(?:nichts|nicht) (?:mehr )?dagegen|dagegen spricht nichts|widerspreche(?: \\p{L}+)? nicht",
      "(?:\u043d\u0435\u0442|\u0431\u0435\u0437)(?: \\p{L}+)? (?:\u0432\u043e\u0437\u0440\u0430\u0436\u0435\u043d|\u0441\u043e\u043c\u043d\u0435\u043d)\\p{L}+|(?:\u0432\u043e\u0437\u0440\u0430\u0436\u0435\u043d|\u0441\u043e\u043c\u043d\u0435\u043d)\\p{L}+(?: \\p{L}+){0,2} \u043d\u0435\u0442|\u043d\u0435 (?:\u0432\u043e\u0437\u0440\u0430\u0436\u0430|\u0441\u043e\u043c\u043d\u0435\u0432\u0430)\\p{L}+|(?:\u044f|\u043c\u044b)?(?: \\p{L}+)? ?\u043d\u0435 \u043f\u0440\u043e\u0442\u0438\u0432",
      "(?:sans|aucune?|pas d(?:e |'))(?: \\p{L}+)? ?(?:objections?|r\u00e9serves?|doutes?)|pas contre",
      "(?:sin|ning[u\u00fa]na?|no (?:tengo|hay|queda))(?: \\p{L}+)? (?:objeci(?:\u00f3n|ones)|reservas?|dudas?)|(?:no|ni) (?:estoy|estamos) en contra|no (?:me opongo|discrepo)",
      "(?:senza|nessuna?|non (?:ho|c'\u00e8|ci sono))(?: \\p{L}+)? (?:obiezion[ei]|riserv[ae]|dubbi\\p{L}?)|non (?:sono contrari[oa]|mi oppongo)",
      "(?:sem|nenhuma?|n\u00e3o (?:tenho|h\u00e1))(?: \\p{L}+)? (?:obje\u00e7(?:\u00e3o|\u00f5es)|reservas?|d\u00favidas?)|n\u00e3o (?:discordo|sou contra)",
      "(?:\u7570\u8ad6|\u7570\u8b70|\u53cd\u5bfe|\u61f8\u5ff5|\u7591\u554f|\u4e0d\u6e80)(?:\u306f|\u3082|\u304c)?(?:\u7279\u306b|\u4f55\u3082)?(?:\u3042\u308a\u307e\u305b\u3093|\u306a\u3044|\u306a\u3057|\u7121\u3057)|\u53cd\u5bfe(?:\u3057|\u3067\u306f)(?:\u307e\u305b\u3093|\u306a\u3044|\u3042\u308a\u307e\u305b\u3093)",
      "(?:\u6ca1\u6709|\u6c92\u6709|\u5e76\u65e0|\u65e0|\u7121)(?:\u4efb\u4f55)?(?:\u5f02\u8bae|\u7570\u8b70|\u53cd\u5bf9|\u53cd\u5c0d|\u610f\u89c1|\u7591\u8651|\u987e\u8651|\u4fdd\u7559)|\u4e0d\u53cd[\u5bf9\u5c0d]",
      "(?:\uc774\uc758|\ubc18\ub300|\uc6b0\ub824)(?:\ub294|\uac00|\ub3c4)? ?(?:\uc5c6|\ud558\uc9c0 \uc54a)\\p{L}*",
    ]
      .map((it) => `(?<!\\p{L})(?:${it})`)
      .join("|"),
    "giu",
  );
  return denialsMade;
}

let signsMade: RegExp | undefined;

/** Dissent by itself, or a judgement in the first person. */
function signs(): RegExp {
  signsMade ??= new RegExp(
    [...bounded.map((it) => `(?<!\\p{L})(?:${it})`), unbounded].join("|"),
    "iu",
  );
  return signsMade;
}

const bounded = [
  "(?:disagree|object to|(?:i|we) object|oppose[sd]?|(?:i|we)(?: still)? (?:doubt|regret|dislike)|(?:have|has)(?: \\p{L}+)? (?:doubts|concerns|reservations))(?!\\p{L})",
  "(?:not(?: \\p{L}+)? (?:convinced|persuaded|happy|satisfied|comfortable)|unconvinced|sceptical|skeptical|reluctant(?:ly)?|under protest|against my better)(?!\\p{L})",
  "(?:i|we)(?: \\p{L}+){0,2} (?:think|believe|find|feel|consider|maintain)[^.;]{0,60} (?:mistake|wrong|risky|dangerous|bad idea|too \\p{L}+)(?!\\p{L})",
  "(?:bin|bleibe|sind|bleiben)(?: \\p{L}+){0,3} (?:dagegen|anderer meinung|skeptisch)|widersprech\\p{L}|nicht(?: \\p{L}+)? (?:\u00fcberzeugt|zufrieden|gl\u00fccklich)|\u00fcberzeugt (?:bin|sind)(?: \\p{L}+){1,5} nicht",
  "(?:ich|wir|halte|halten|finde)(?: [\\p{L},]+){0,8} (?:falsch|(?:einen|ein) fehler|riskant|bedenken|vorbehalte|zweifel\\p{L}*)",
  "\u043d\u0435 \u0441\u043e\u0433\u043b\u0430\u0441|\u0432\u043e\u0437\u0440\u0430\u0436\u0430|(?:\u044f|\u043c\u044b)(?: \\p{L}+){0,3} \u043f\u0440\u043e\u0442\u0438\u0432|\u0441\u043e\u043c\u043d\u0435\u0432\u0430(?:\u044e\u0441\u044c|\u0435\u043c\u0441\u044f)|\u043d\u0435 \u0443\u0431\u0435\u0436\u0434|\u043e\u0441\u0442\u0430(?:\u044e\u0441\u044c|\u0435\u043c\u0441\u044f)(?: \\p{L}+)? \u043f\u0440\u0438 \u0441\u0432\u043e[\u0451\u0435]\u043c",
  "(?:\u0441\u0447\u0438\u0442\u0430(?:\u044e|\u0435\u043c)|\u0434\u0443\u043c\u0430(?:\u044e|\u0435\u043c)|\u043f\u043e\u043b\u0430\u0433\u0430(?:\u044e|\u0435\u043c)|\u043f\u043e-\u043c\u043e\u0435\u043c\u0443|\u043d\u0430 \u043c\u043e\u0439 \u0432\u0437\u0433\u043b\u044f\u0434)[^.;]{0,60} (?:\u043e\u0448\u0438\u0431\u043a|\u043e\u0448\u0438\u0431\u043e\u0447\u043d|\u043d\u0435\u0432\u0435\u0440\u043d|\u043d\u0435\u043f\u0440\u0430\u0432\u0438\u043b\u044c\u043d|\u0440\u0438\u0441\u043a|\u043f\u043b\u043e\u0445|\u0441\u043b\u0438\u0448\u043a\u043e\u043c)",
  "pas(?: \\p{L}+)? d'accord|m'oppose|pas(?: \\p{L}+)? convaincue?s?|je (?:doute|regrette)|(?:je|nous)(?: [\\p{L}']+){1,6} (?:une erreur|faux|mauvais\\p{L}*|risqu\\p{L}+)",
  "(?:sin|no)(?: \\p{L}+){0,2} de acuerdo|me opongo|discrepo|disiento|no (?:me|nos) convence|no (?:estoy|estamos)(?: \\p{L}+)? convencid|(?:sigo|seguimos|creo|creemos|pienso|considero|opino)(?: [\\p{L},]+){1,8} (?:error|equivocad\\p{L}+|incorrect\\p{L}+|arriesgad\\p{L}+)|en contra",
  "(?:non|senza)(?: \\p{L}+){0,2} d'accordo|sono contrari[oa]|mi oppongo|non (?:sono|mi)(?: \\p{L}+)? (?:convint|convince)|(?:penso|credo|ritengo|pensare)(?: [\\p{L},]+){1,8} (?:errore|sbagliat\\p{L})",
  "discord(?:o|ar|amos)|sou contra|n\u00e3o (?:estou|me)(?: \\p{L}+)? (?:convencid|convence)|(?:acho|penso|creio)(?: [\\p{L},]+){1,8} (?:erro|errad\\p{L}+)",
  "niet mee eens|oneens|niet overtuigd|nie zgadzam|sprzeciwiam|nie jestem przekonan|h\u00e5ller inte med|nesouhlas|\u043d\u0435 \u0437\u0433\u043e\u0434|\u0437\u0430\u043f\u0435\u0440\u0435\u0447\u0443|kat\u0131lm\u0131yorum|kar\u015f\u0131y\u0131m",
];

const unbounded = [
  "\u4e0d(?:\u540c\u610f|\u8d5e\u6210|\u8d0a\u6210|\u8ba4\u540c|\u8a8d\u540c|\u8ba4\u53ef|\u82df\u540c)|\u53cd\u5bf9|\u53cd\u5c0d|\u6709(?:\u6240)?(?:\u4fdd\u7559|\u7591\u8651|\u987e\u8651|\u5f02\u8bae)|(?:\u8ba4\u4e3a|\u89c9\u5f97)[^\u3002]{0,20}(?:\u9519|\u4e0d\u5bf9|\u4e0d\u59a5|\u592a)",
  "\u53cd\u5bfe|(?:\u540c\u610f|\u8cdb\u6210|\u7d0d\u5f97|\u652f\u6301)(?:\u306f)?(?:\u3057|\u3067\u304d|\u3057\u3066\u3044|\u3044\u304d|\u3044\u304b)(?:\u307e\u305b\u3093|\u306a\u3044)|\u7570\u8b70|\u7570\u8ad6|\u7591\u554f\u304c(?:\u3042|\u6b8b)|\u61f8\u5ff5(?:\u304c|\u3057\u3066)|(?:\u9593\u9055\u3044|\u8aa4\u308a)\u3060\u3068(?:\u601d|\u8003)",
  "\ubc18\ub300|\ub3d9\uc758\ud558\uc9c0|\ub0a9\ub4dd\ud558\uc9c0|\uc6b0\ub824\uac00",
].join("|");
