import { useEffect, useRef } from "preact/hooks";
import type { ProcessRecord } from "../api/types";
import { href } from "../router";

export interface Tab {
  path: string;
  name: string;
  count?: number;
}

/** What there is to see of a process. */
export function tabsOf(p: ProcessRecord, takesInput: boolean): Tab[] {
  const tabs: Tab[] = [{ path: "output", name: "Output" }];
  if (takesInput || p.command?.pty) tabs.push({ path: "terminal", name: "Terminal" });
  if (p.environment === "agent") tabs.push({ path: "transcript", name: "Transcript" });
  tabs.push(
    { path: "timeline", name: "Timeline" },
    { path: "events", name: "Events" },
    { path: "trace", name: "Calls" },
    { path: "structured", name: "Structured", count: Object.keys(p.output ?? {}).length },
    { path: "findings", name: "Findings", count: p.outcome?.findings.length },
    { path: "runs", name: "Runs", count: p.run > 1 ? p.run : 0 },
    { path: "resources", name: "Resources" },
    { path: "children", name: "Children" },
    { path: "code", name: p.environment === "command" ? "Command" : p.environment === "agent" ? "Intent" : "Code" },
  );
  return tabs;
}

export function Tabs({ id, tabs, here }: { id: number; tabs: Tab[]; here: string }) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const bar = nav.current!;
    const tab = bar.querySelector<HTMLElement>("[aria-current]");
    if (tab) bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.clientWidth) / 2;
  }, [here]);
  return (
    <nav class="tabs" aria-label="About this process" ref={nav}>
      {tabs.map((t) => (
        <a key={t.path} href={href(`processes/${id}/${t.path}`)} aria-current={t.path === here ? "page" : undefined}>
          {t.name}
          {t.count ? <span class="quiet"> {t.count}</span> : null}
        </a>
      ))}
    </nav>
  );
}
