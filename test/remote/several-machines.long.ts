import { byFile } from "./git-server.ts";
import { checkSeveralMachines } from "./several-machines.ts";

checkSeveralMachines("a file path", async (host) => byFile(host));
