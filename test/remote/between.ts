/** The stores that machines share, as tests use them: how they are reached, go away, and are written over. */
import { renameSync } from "node:fs";
import { eventKey } from "../../scripts-src/remote/etcd/stored-forms.ts";
import { EtcdCluster, nameCluster } from "./etcd-cluster.ts";
import { git, gitWith, makeBareRepository } from "./git-remote.ts";
import type { Way } from "./git-server.ts";
import type { Laptop } from "./laptop.ts";

export type Rewriting = "cut" | "forced" | "deleted";

export interface Between extends Way {
  /** As `--store` names it. */
  readonly store: string;
  /** What a user writes into their settings before. */
  settle(at: Laptop): void;
  /** Nobody can reach it until it is back. */
  away(): unknown;
  back(): unknown;
  /** Cuts the last event of a session off, has another in its place, or none at all; returns what puts it back. */
  rewrite(id: string, how: Rewriting): () => void;
  /** What their environment has beside ours. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The remote that the project was cloned from, as `git.server.ts` serves it. */
export async function overGit(serve: (host: string) => Way | Promise<Way>): Promise<Between> {
  const host = makeBareRepository();
  return {
    ...(await serve(host)),
    store: "git",
    settle: () => undefined,
    away: () => renameSync(host, `${host}.away`),
    back: () => renameSync(`${host}.away`, host),
    rewrite(id, how) {
      const ref = `refs/consulta/${id}`;
      const tip = git(host, "rev-parse", ref);
      if (how === "deleted") git(host, "update-ref", "-d", ref);
      else git(host, "update-ref", ref, how === "cut" ? `${tip}~1` : another(host, tip));
      return () => git(host, "update-ref", ref, tip);
    },
  };
}

function another(host: string, tip: string): string {
  const event = JSON.parse(git(host, "log", "-1", "--format=%B", tip));
  const line = JSON.stringify({ ...event, summary: "Something else." });
  const words = ["commit-tree", `${tip}^{tree}`, "-p", `${tip}~1`, "-F", "-"];
  return gitWith(host, `${line}\n`, ...words);
}

const users = ["ana", "bo", "cy", "dee"];

/** A cluster of three with TLS, in which each user signs in. */
export async function overEtcd(): Promise<Between> {
  const cluster = await EtcdCluster.start({ members: 3, tls: true });
  cluster.authenticate(...users);
  const { endpoints, ca } = cluster;
  const members = [...endpoints.keys()];
  const asRoot = ["--user", "root:root-secret"];
  let settled = 0;
  return {
    ...{ url: makeBareRepository(), settings: [], store: "etcd:team" },
    stop: () => cluster.stop(),
    settle({ home }) {
      const user = users[settled++ % users.length] ?? "";
      nameCluster(home, { endpoints, ca, user, password: `${user}-secret` });
    },
    away: () => Promise.all(members.map((index) => cluster.killMember(index))),
    back() {
      for (const index of members) cluster.startMember(index);
    },
    rewrite(id, how) {
      const below = eventKey(id, 1).slice(0, -12);
      const printed = cluster.etcdctl(...asRoot, "get", "--prefix", "--print-value-only", below);
      const lines = printed.trim().split("\n");
      const put = (line: string, index: number) =>
        cluster.etcdctlWith(line, ...asRoot, "put", eventKey(id, index + 1));
      const last = lines.length - 1;
      if (how === "deleted") cluster.etcdctl(...asRoot, "del", "--prefix", below);
      if (how === "cut") cluster.etcdctl(...asRoot, "del", eventKey(id, last + 1));
      if (how === "forced") put("nonsense", last);
      return () => lines.forEach(put);
    },
  };
}
