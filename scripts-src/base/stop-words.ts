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
