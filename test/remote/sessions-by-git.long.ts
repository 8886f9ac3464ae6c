import { overGit } from "./between.ts";
import { checkRemoteSession } from "./check-remote-session.ts";
import { byFile } from "./git-server.ts";
import { oldest, WatchedGit } from "./watched-git.ts";

const watchedWay = async () => {
  const watched = new WatchedGit();
  const way = await overGit(byFile);
  const stop = () => {
    way.stop();
    watched.check();
  };
  return { ...way, environment: watched.environment, stop };
};
// Of three it is played on a cluster; here each call of git costs a process.
checkRemoteSession(`a file path, with what git ${oldest} has`, watchedWay, { people: 2 });
