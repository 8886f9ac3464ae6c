import { EtcdCluster, nameCluster, noEtcd } from "./etcd-cluster.ts";
import { hostsOf, openNetwork } from "./network.ts";
import { checkSeveralMachines } from "./several-machines.ts";

// Where this is allowed each machine, and each member, has a network of its own.

const users = ["ana", "bo", "cy", "dee"];

checkSeveralMachines(
  "a cluster of three with TLS and users",
  async (repository) => {
    const network = openNetwork();
    const asked = { hosts: hostsOf(network, 3), asker: network?.hub };
    const cluster = await EtcdCluster.start({ members: 3, tls: true, ...asked });
    cluster.authenticate(...users);
    const stop = async () => {
      await cluster.stop();
      network?.close();
    };
    const { endpoints, ca } = cluster;
    let settled = 0;
    return {
      ...{ url: repository, settings: [], store: "etcd:team", hosts: hostsOf(network, 4), stop },
      settle: ({ home }) => {
        const user = users[settled++] ?? "ana";
        nameCluster(home, { endpoints, ca, user, password: `${user}-secret` });
      },
    };
  },
  noEtcd,
);
