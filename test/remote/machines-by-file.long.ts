import { byFile } from "./git-server.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";
import { oldest, WatchedGit } from "./watched-git.ts";

checkSeveralMachines(`a file path, with what git ${oldest} has`, async (host) => {
  const watched = new WatchedGit();
  const way = await overGit(byFile(host));
  const stop = () => {
    way.stop();
    watched.check();
  };
  return { ...way, environment: watched.environment, stop };
});
