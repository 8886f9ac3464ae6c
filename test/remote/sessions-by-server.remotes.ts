/** What only the way carries is looked at in transports.long.ts; here whole sessions go over it. */
import { overGit } from "./between.ts";
import { checkRemoteSession } from "./check-remote-session.ts";
import { byHttps, bySsh, hasOpenssl, hasSshd } from "./git-server.ts";

const password = "ana:open-sesame";
checkRemoteSession(
  "smart HTTP with TLS and a password",
  () => overGit((host) => byHttps(host, { password })),
  { isWay: true, skip: !hasOpenssl && "needs openssl" },
);
checkRemoteSession("ssh", () => overGit(bySsh), { isWay: true, skip: !hasSshd && "needs sshd" });
