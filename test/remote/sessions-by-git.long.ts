import { overGit } from "./between.ts";
import { checkRemoteSession } from "./check-remote-session.ts";
import { byFile } from "./git-server.ts";
import { oldest, WatchedGit } from "./watched-git.ts";

checkRemoteSession(`a file path, with what git ${oldest} has`, async () => {
  const watched = new WatchedGit();
  const way = await overGit(byFile);
  const stop = () => {
    way.stop();
    watched.check();
  };
  return { ...way, environment: watched.environment, stop };
});
