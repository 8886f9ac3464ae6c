import { overEtcd } from "./between.ts";
import { checkRemoteSession } from "./check-remote-session.ts";
import { noEtcd } from "./etcd-cluster.ts";

checkRemoteSession("a cluster of three with TLS and users", overEtcd, { skip: noEtcd });
