import { bySsh, hasSshd } from "./git-server.ts";
import { checkSeveralMachines, overNetwork } from "./several-machines.ts";

checkSeveralMachines(
  "ssh",
  (host) => overNetwork((server) => bySsh(host, server)),
  !hasSshd && "needs sshd",
);
