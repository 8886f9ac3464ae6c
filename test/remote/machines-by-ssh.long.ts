import { bySsh, hasSshd } from "./git-server.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";

checkSeveralMachines("ssh", (host) => overGit(bySsh(host)), !hasSshd && "needs sshd");
