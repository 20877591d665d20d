// How long a page was busy at a stretch. It is CPU time that counts: what else
// runs on the machine cannot make a page slow.
import type { CDPSession, Page } from "@playwright/test";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  tdur?: number; // CPU time, in microseconds
  args: { name?: string };
}

/** Runs something and returns the CPU time of the page's longest task meanwhile, in milliseconds. */
export async function longestTask(page: Page, during: () => Promise<void>): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", (e) => events.push(...(e.value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline"], excludedCategories: ["*"] },
  });
  try {
    await during();
  } finally {
    await end(session);
  }
  return longest(events);
}

async function end(session: CDPSession): Promise<void> {
  const over = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await over;
  await session.detach();
}

function longest(events: TraceEvent[]): number {
  const thread = (e: TraceEvent): string => `${e.pid} ${e.tid}`;
  const pages = new Set(events.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain").map(thread));
  const tasks = events.filter((e) => e.name === "RunTask" && pages.has(thread(e)));
  if (tasks.length === 0) throw new Error("the trace holds no task of a page");
  return Math.max(...tasks.map((e) => e.tdur ?? 0)) / 1000;
}
