// The processes below this one.
import { useEffect, useState } from "preact/hooks";
import { list } from "../../api/processes";
import type { ProcessRecord } from "../../api/types";
import { title } from "../../format";
import { href } from "../../router";
import { subscribe } from "../../state/feed";
import { Badge } from "../../ui/badge";
import { Elapsed } from "../../ui/elapsed";
import { Meter } from "../../ui/meter";
import { complain } from "../../ui/toast";
import { Virtual } from "../../ui/virtual";

const gather = 200; // ms

export function Children({ process: p }: { process: ProcessRecord }) {
  const [all, setAll] = useState<{ children: ProcessRecord[]; at: number; more: boolean } | null>(null);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const known = new Set<number>([p.id]);
    const load = async (): Promise<void> => {
      const page = await list({ parent: p.id }, undefined, 1000);
      if (gone) return;
      for (const c of page.processes) known.add(c.id);
      setAll({ children: page.processes, at: Date.now(), more: page.nextCursor !== null });
    };
    const soon = (): void => {
      timer ||= window.setTimeout(() => {
        timer = 0;
        void load().catch(() => {}); // the banner says that the daemon is away
      }, gather);
    };
    void load().catch(complain);
    const leave = subscribe({ events: (events) => events.some((e) => known.has(e.process)) && soon(), reload: soon });
    return () => {
      gone = true;
      clearTimeout(timer);
      leave();
    };
  }, [p.id]);
  if (!all) return <p class="quiet">Loading…</p>;
  if (all.children.length === 0) return <p class="nothing-here">It has no child processes.</p>;
  return (
    <section class="children" aria-label="Children">
      {all.more && <p class="quiet">The newest 1000 are shown. The tree has all of them.</p>}
      <Virtual
        count={all.children.length}
        rowHeight={34}
        role="list"
        label="Children"
        row={(i) => {
          const c = all.children[i]!;
          return (
            <div key={c.id} class="child" role="listitem">
              <span class="quiet num">{c.id}</span>
              <Badge process={c} />
              <a href={href(`processes/${c.id}`)}>{title(c)}</a>
              <Meter process={c} />
              <span class="num">
                <Elapsed row={{ record: c, at: all.at, asked: all.at }} />
              </span>
            </div>
          );
        }}
      />
    </section>
  );
}
