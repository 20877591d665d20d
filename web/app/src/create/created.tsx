// What was made here, while a person goes on.
import { useEffect, useState } from "preact/hooks";
import { byIds } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { title } from "../format";
import { href } from "../router";
import { subscribe } from "../state/feed";
import { Badge } from "../ui/badge";

export interface CreatedList {
  all: ProcessRecord[];
  add: (p: ProcessRecord) => void;
}

/** The last few that were made, as they are now. */
export function useCreated(): CreatedList {
  const [all, setAll] = useState<ProcessRecord[]>([]);
  const ids = all.map((p) => p.id);
  useEffect(() => {
    if (ids.length === 0) return;
    const gone = new AbortController();
    const reload = (): void =>
      void byIds(ids, {}, gone.signal).then(
        (fresh) => setAll((old) => old.map((p) => fresh.find((f) => f.id === p.id) ?? p)),
        () => {}, // the banner says that the daemon is away
      );
    reload();
    const stop = subscribe({ events: (events) => events.some((e) => ids.includes(e.process)) && reload(), reload });
    return () => {
      gone.abort();
      stop();
    };
  }, [ids.join()]);
  return { all, add: (p) => setAll((old) => [p, ...old.filter((o) => o.id !== p.id)].slice(0, 5)) };
}

export function Created({ created }: { created: CreatedList }) {
  return (
    <div class="made-here" role="status">
      {created.all.map((p) => (
        <p key={p.id}>
          Process <a href={href(`processes/${p.id}`)}>{p.id}</a> was created: {title(p)} <Badge process={p} />
        </p>
      ))}
    </div>
  );
}
