import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { checkSeveralMachines } from "./several-machines.ts";

const users = ["ana", "bo", "cy", "dee"];

checkSeveralMachines(
  "a cluster of three with TLS and users",
  async (repository) => {
    const cluster = await EtcdCluster.start({ members: 3, tls: true });
    cluster.authenticate(...users);
    const { endpoints, ca } = cluster;
    let settled = 0;
    return {
      ...{ url: repository, settings: [], store: "etcd:team", stop: () => cluster.stop() },
      settle: ({ home }) => {
        const user = users[settled++] ?? "ana";
        nameCluster(home, { endpoints, ca, user, password: `${user}-secret` });
      },
    };
  },
  noEtcd,
);
