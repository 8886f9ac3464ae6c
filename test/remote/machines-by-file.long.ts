import { byFile } from "./git-server.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";

checkSeveralMachines("a file path", (host) => overGit(byFile(host)));
