import { useEffect, useState } from "preact/hooks";
import { one } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { title } from "../format";
import { subscribe } from "../state/feed";
import { Badge } from "../ui/badge";
import { complain } from "../ui/toast";
import { Output } from "./output/output";

export function ProcessPage({ id }: { id: number }) {
  const [p, setP] = useState<ProcessRecord | null>(null);
  useEffect(() => {
    const reload = (): void => void one(id).then(setP, complain);
    reload();
    return subscribe({ events: (events) => events.some((e) => e.process === id) && reload(), reload });
  }, [id]);
  if (!p) return <p class="quiet">Loading…</p>;
  return (
    <>
      <h1>
        {id} {title(p)} <Badge process={p} />
      </h1>
      <Output process={p} />
    </>
  );
}
