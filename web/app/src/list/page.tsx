import { useEffect, useState } from "preact/hooks";
import { list } from "../api/processes";
import type { ProcessRecord } from "../api/types";
import { title } from "../format";
import { go, href } from "../router";
import { subscribe } from "../state/feed";
import { Badge } from "../ui/badge";
import { complain } from "../ui/toast";
import { Virtual } from "../ui/virtual";

export function ListPage() {
  const [all, setAll] = useState<ProcessRecord[]>([]);
  useEffect(() => {
    const reload = (): void => void list({}).then((p) => setAll(p.processes), complain);
    reload();
    return subscribe({ events: reload, reload });
  }, []);
  return (
    <>
      <h1>Processes</h1>
      <Virtual
        count={all.length}
        rowHeight={36}
        role="grid"
        label="Processes"
        row={(i) => {
          const p = all[i]!;
          return (
            <div key={p.id} class="row" role="row" onClick={() => go(href(`processes/${p.id}`))}>
              <span role="gridcell">{p.id}</span>
              <span role="gridcell">
                <Badge process={p} />
              </span>
              <span role="gridcell">
                <a href={href(`processes/${p.id}`)}>{title(p)}</a>
              </span>
            </div>
          );
        }}
      />
    </>
  );
}
