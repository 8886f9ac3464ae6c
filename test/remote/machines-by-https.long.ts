import { byHttps, hasOpenssl } from "./git-server.ts";
import { checkSeveralMachines, overNetwork } from "./several-machines.ts";

const password = "ana:open-sesame";
checkSeveralMachines(
  "smart HTTP with TLS and a password",
  (host) => overNetwork((server) => byHttps(host, { password }, server)),
  !hasOpenssl && "needs openssl",
);
