import { byHttp, bySsh, hasSshd } from "./git-server.ts";
import { checkSeveralMachines } from "./several-machines.ts";

const password = "ana:open-sesame";
checkSeveralMachines("smart HTTP with a password", (host) => byHttp(host, { password }));
checkSeveralMachines("ssh", bySsh, !hasSshd && "needs sshd");
