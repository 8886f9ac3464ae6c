import { byHttps, hasOpenssl } from "./git-server.ts";
import { checkSeveralMachines, overGit } from "./several-machines.ts";

const password = "ana:open-sesame";
checkSeveralMachines(
  "smart HTTP with TLS and a password",
  (host) => overGit(byHttps(host, { password })),
  !hasOpenssl && "needs openssl",
);
