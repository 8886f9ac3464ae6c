import { byHttp, bySsh, hasSshd } from "./git-server.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";

const password = "ana:open-sesame";
checkSeveralMachines("smart HTTP with a password", (host) => overGit(byHttp(host, { password })));
checkSeveralMachines("ssh", (host) => overGit(bySsh(host)), !hasSshd && "needs sshd");
