/** Words that say nothing about the subject of a prompt to a coding agent. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above across actually after again against all almost already also although always am an
  and another any anybody anyone anything anyway are aren around as ask at away back be because been
  before being below between both but by came can cannot cant come could couldn did didn do does
  doesn doing don done down each either else enough etc even ever every everyone everything few for
  from further gave get gets getting give given go goes going gonna gone good got great had hadn has
  hasn have haven having he hello help her here hers hey hi him his how however i if ill im in
  instead into is isn it its itself ive just keep kind knew know known last least less let lets like
  little ll look looks lot made make makes making many may maybe me mean might mine more most much
  must my myself need needs neither never next nice no nobody none nor not nothing now of off often
  oh ok okay on once one only onto or other others our ours out over own part please possible
  probably put quick quickly quite rather re really right said same saw say says see seem seems
  seen several shall she should shouldn show simply since so some somebody someone something
  sometimes soon still stuff such sure take tell than thank thanks that thats the their theirs them
  then there these they thing things think this those though through thus to together too took
  toward tried tries try trying under until up upon us use used uses using usually ve very via
  want wanted wants was wasn way we well went were weren what whatever when where whether which
  while who whole whom whose why will with within without won wont would wouldn yeah yes yet you
  your yours yourself`.split(/\s+/),
);

/**
 * Words that a prompt to a coding agent may hold whatever it is about: they help to rank memories,
 * but two prompts that share only these have no subject in common.
 */
export const everydayWords: readonly string[] =
  `add added adding adds app append application apply argument arguments array article
    backend bad blog branch break breaks broke broken browser bug bugs build builds button
    call calls change changed changes check checks class clean clear code codebase column
    command commands comment comments commit compile complete component config configure
    conflict conflicts constant continue convert copy correct crash crashes create current
    data debug default delete describe description design detail details develop developer
    diff difference directory doc docs document documentation done download draw drop edit
    empty end entry error errors example exception execute exist expect expected explain
    export extend extract fail failed failing fails failure feature field file files find
    finish first fix fixed fixes folder format framework frontend full function functions
    generate generic git go good handle hello help helper hint html idea implement
    implementation import improve input insert install instance issue item java javascript job
    key language large last later latest learn left length letter level library line lines
    link list load local log loop machine main member memory menu merge message method missing
    model module move name names nested new node note number numbers object old open option
    options order original output package page pages parameter parse parser part pass path
    plan port prefer print problem process program programming project prompt proper pull push
    python question random read readme recent recommend refactor reference remove rename
    replace repo repository request resolve response restart result retry return review
    rewrite rule run running runs rust sample scaffold screen script search second section
    select send server service session set setting settings setup shell show similar simple
    simplify size slow small snippet solution solve something sort source split sql stack
    standard start state statement step steps stop string structure style suggest summarize
    summary support switch syntax system table tag task team template terminal test testing
    tests text think time title today tool top topic trace translate tree try turn type types
    typescript undefined understand undo unit unused update updates upgrade url user users
    valid validate value values variable variables verify version view visible wait warning
    warnings web website week weird window word work working works wrap write writes written
    wrong year yesterday`.split(/\s+/);

/**
 * The words inside names that are written together, such as `parse` and `Config` of `parseConfig`,
 * each once; names that are written apart (`parse_config`, `parse-config`) need no help.
 */
export function wordsInNames(text: string): string[] {
  const words = new Set<string>();
  // Word by word: one expression for both would take quadratic time over a long word.
  for (const [name] of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (isCompound(name)) for (const word of partsOf(name)) words.add(word);
  }
  return [...words];
}

export function isCompound(name: string): boolean {
  return /\p{Ll}\p{Lu}|\p{N}\p{Lu}\p{Ll}/u.test(name);
}

/** `parseHTTPHeader` is `parse`, `HTTP`, `Header`. */
export function partsOf(name: string): string[] {
  return name.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+|\p{Lu}/gu) ?? [];
}

/** Runs of scripts that put no blanks between words, or write what belongs to a word onto it. */
export const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu;

/** Two neighbouring characters each: what the index of such a script is made of. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}
