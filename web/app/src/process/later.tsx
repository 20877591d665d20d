// The tabs that are fetched when they are first gone to.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sentence } from "../api/http";
import type { ProcessRecord } from "../api/types";

type TabPage = ComponentType<{ process: ProcessRecord }>;

const pages: Record<string, () => Promise<TabPage>> = {
  terminal: async () => (await import("./terminal/terminal")).Terminal,
  transcript: async () => (await import("./transcript/transcript")).Transcript,
  timeline: async () => (await import("./timeline/timeline")).Timeline,
  events: async () => (await import("./events/events")).Events,
  trace: async () => (await import("./trace/trace")).Trace,
  structured: async () => (await import("./structured/structured")).Structured,
  findings: async () => (await import("./findings/findings")).Findings,
  runs: async () => (await import("./runs/runs")).Runs,
  resources: async () => (await import("./resources/resources")).Resources,
  children: async () => (await import("./children/children")).Children,
  code: async () => (await import("./code/code")).Code,
};

export function Later({ tab, process }: { tab: string; process: ProcessRecord }) {
  const [Page, setPage] = useState<TabPage | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let gone = false;
    void pages[tab]!().then(
      (page) => !gone && setPage(() => page),
      (e: unknown) => !gone && setProblem(sentence(e)),
    );
    return () => {
      gone = true;
    };
  }, [tab]);
  if (problem) return <p class="error">This part of the page could not be fetched. Reload the page. ({problem})</p>;
  return Page ? <Page process={process} /> : <p class="quiet">Loading…</p>;
}
