import { useEffect, useState } from "preact/hooks";
import { BrainPage } from "../brain.tsx";
import type { BrainModel } from "../model.ts";
import { get, serverFailure } from "./api-client.ts";

/** The brain is asked when somebody looks, and again while they do. */
const againMs = 5_000;

export function BrainView({ project, now }: { project: string; now: number }) {
  const [query, setQuery] = useState("");
  const [model, setModel] = useState<BrainModel>();
  const [fault, setFault] = useState("");
  useEffect(() => {
    let isWanted = true;
    const ask = () =>
      get<BrainModel>("brain", { project, query })
        .then((found) => {
          if (isWanted) setModel(found);
          setFault("");
        })
        .catch((cause) => setFault(serverFailure(cause)));
    void ask();
    const timer = setInterval(ask, againMs);
    return () => {
      isWanted = false;
      clearInterval(timer);
    };
  }, [project, query]);
  if (fault !== "")
    return (
      <main>
        <p class="warning">{fault}</p>
      </main>
    );
  if (model === undefined)
    return (
      <main>
        <p class="lead">Asking the brain…</p>
      </main>
    );
  return <BrainPage model={model} shown={{ now, names: [] }} onSearch={setQuery} />;
}
