import { byFile, byHttp, bySsh, hasSshd } from "./git-server.ts";
import { hostsOf, openNetwork } from "./network.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";

checkSeveralMachines("a file path", (host) => overGit(byFile(host)));

const password = "ana:open-sesame";
checkSeveralMachines("smart HTTP with a password", (host) => overGit(byHttp(host, { password })));

// Where this is allowed each machine has a network of its own: nothing goes by what they share here.
checkSeveralMachines(
  "ssh",
  async (repository) => {
    const network = openNetwork();
    const way = await overGit(bySsh(repository, network?.hub));
    const stop = () => {
      way.stop();
      network?.close();
    };
    return { ...way, hosts: hostsOf(network, 3), stop };
  },
  !hasSshd && "needs sshd",
);
