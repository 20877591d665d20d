// What an agent and its model said, as a conversation.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api/http";
import type { ProcessEvent, ProcessRecord } from "../../api/types";
import { count, duration } from "../../format";
import { useKeys } from "../../keys";
import { subscribe } from "../../state/feed";
import { complain } from "../../ui/toast";
import { useEvents } from "../events/use";
import { type Message, MessageView } from "./message";

export function Transcript({ process: p }: { process: ProcessRecord }) {
  const { messages, loading } = useMessages(p.id);
  const steps = useEvents(p.id, { kind: "step_finished" }, 2000).events;
  const [open, setOpen] = useState(false);
  const end = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLElement>(null);
  const following = useRef(true);
  useEffect(() => {
    if (following.current) end.current?.scrollIntoView({ block: "end" });
  }, [messages]);
  useKeys([{ keys: ["x"], label: "Open or close all tool calls", group: "Transcript", run: () => setOpen(!open) }]);
  if (messages.length === 0) return <p class="nothing-here">{loading ? "Loading…" : "Nothing has been said yet."}</p>;
  const took = new Map(steps.map((e) => [`${e.run} ${String(e.step)}`, e]));
  const results = new Map(messages.filter((m) => m.callId).map((m) => [`${m.run} ${m.callId}`, m]));
  let [run, step] = [0, -1];
  return (
    <section
      class="transcript"
      ref={box}
      aria-label="Transcript"
      tabIndex={0}
      onScroll={() => {
        const b = box.current!;
        following.current = b.scrollTop + b.clientHeight >= b.scrollHeight - 40;
      }}
    >
      <div class="tools-line">
        <span class="quiet">{totals(steps)}</span>
        <button type="button" aria-pressed={open} title="Open or close all tool calls (x)" onClick={() => setOpen(!open)}>
          Tool calls
        </button>
      </div>
      {messages.map((m) => {
        if (m.role === "tool" && results.get(`${m.run} ${m.callId}`) === m && asked(messages, m)) return null; // shown with its call
        const head = m.run !== run ? `Run ${m.run}` : m.step !== step && m.step > 0 ? `Step ${m.step}` : "";
        [run, step] = [m.run, m.step];
        return (
          <div key={m.number} class="exchange">
            {head && <StepHead name={head} finished={m.step > 0 ? took.get(`${m.run} ${m.step}`) : undefined} />}
            <MessageView message={m} open={open} resultOf={(id) => results.get(`${m.run} ${id}`)} />
          </div>
        );
      })}
      <div ref={end} />
    </section>
  );
}

function asked(all: Message[], m: Message): boolean {
  return all.some((o) => o.run === m.run && o.calls?.some((c) => c.id === m.callId));
}

function StepHead({ name, finished: e }: { name: string; finished?: ProcessEvent }) {
  return (
    <h2 class="step-head">
      {name}
      {e && (
        <span class="quiet">
          {" "}
          {count(Number(e.inputTokens))} in{Number(e.cachedTokens) > 0 ? ` (${count(Number(e.cachedTokens))} cached)` : ""}, {count(Number(e.outputTokens))} out
          {cost(e.costUsd)} · {duration(Number(e.durationMs))}
          {Number(e.retries) > 0 ? ` · asked ${Number(e.retries) + 1} times` : ""}
          {e.error ? ` · ${String(e.error)}` : ""}
        </span>
      )}
    </h2>
  );
}

const cost = (usd: unknown): string => (typeof usd === "number" ? ` · $${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}` : "");

function totals(steps: ProcessEvent[]): string {
  const sum = (name: string): number => steps.reduce((n, e) => n + Number(e[name] ?? 0), 0);
  const priced = steps.filter((e) => typeof e.costUsd === "number");
  return `${steps.length} ${steps.length === 1 ? "step" : "steps"}, ${count(sum("inputTokens") + sum("outputTokens"))} tokens${priced.length > 0 ? cost(sum("costUsd")) : ""}`;
}

const pageSize = 200;

function useMessages(id: number): { messages: Message[]; loading: boolean } {
  const [held, setHeld] = useState<Message[] | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let all: Message[] = [];
    let [busy, again] = [false, false];
    const read = async (): Promise<void> => {
      if (busy) {
        again = true;
        return;
      }
      busy = true;
      do {
        again = false;
        const page = await get<{ messages: Message[] }>(`/processes/${id}/transcript`, { after: all.at(-1)?.number ?? 0, limit: pageSize }, stop.signal).finally(() => (busy = false));
        busy = true;
        all = [...all, ...page.messages];
        setHeld(all);
        again ||= page.messages.length === pageSize;
      } while (again);
      busy = false;
    };
    const quietly = (): void => void read().catch(() => {}); // the banner says that the daemon is away
    void read().catch((e: unknown) => !stop.signal.aborted && complain(e));
    const leave = subscribe({ events: (events) => events.some((e) => e.process === id) && quietly(), reload: quietly });
    return () => {
      stop.abort();
      leave();
    };
  }, [id]);
  return { messages: held ?? [], loading: held === null };
}
