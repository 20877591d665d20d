import { clock } from "../../format";

export interface Call {
  id: string;
  name: string;
  arguments: unknown;
}

export interface Message {
  number: number;
  run: number;
  step: number;
  at: string;
  role: "system" | "user" | "assistant" | "tool" | "summary";
  text: string;
  calls?: Call[];
  callId?: string;
  name?: string;
  failed?: boolean;
  model?: string;
  replaces?: number;
}

interface Props {
  message: Message;
  open: boolean;
  resultOf: (id: string) => Message | undefined;
}

const names = { system: "Instructions", user: "Intent", assistant: "Agent", tool: "Tool", summary: "Summary" };

export function MessageView({ message: m, open, resultOf }: Props) {
  return (
    <article class={`speech ${m.role}`} aria-label={names[m.role]}>
      <header>
        <b>{m.role === "tool" ? (m.name ?? names.tool) : names[m.role]}</b>
        {m.model && <span class="quiet"> {m.model}</span>}
        <time class="quiet" dateTime={m.at}>
          {clock(m.at)}
        </time>
      </header>
      {m.role === "system" ? (
        <details>
          <summary>What it was told before it began</summary>
          <Words text={m.text} />
        </details>
      ) : (
        m.text && <Words text={m.text} />
      )}
      {m.replaces ? <p class="quiet">It stands for all messages up to {m.replaces} from here on.</p> : null}
      {m.calls?.map((c) => <CallView key={`${c.id} ${open}`} call={c} open={open} result={resultOf(c.id)} />)}
    </article>
  );
}

function CallView({ call, open, result }: { call: Call; open: boolean; result?: Message }) {
  const state = !result ? "going on" : result.failed ? "✗ failed" : "✓ done";
  return (
    <details class={result?.failed ? "call failed" : "call"} open={open}>
      <summary>
        <code>{call.name}</code> <span class="brief">{short(call.arguments)}</span> <span class="state">{state}</span>
      </summary>
      <h3>Parameters</h3>
      <pre>{pretty(call.arguments)}</pre>
      {result && (
        <>
          <h3>{result.failed ? "Error" : "Result"}</h3>
          <pre>{pretty(result.text)}</pre>
        </>
      )}
    </details>
  );
}

// Words is text as it was written; a block of code is set as one.
function Words({ text }: { text: string }) {
  const parts = text.split(/^```[^\n]*\n([\s\S]*?)^```[^\n]*$/m);
  return <div class="words">{parts.map((part, i) => (i % 2 === 1 ? <pre key={i}>{part}</pre> : part.trim() && <p key={i}>{part.trim()}</p>))}</div>;
}

function short(v: unknown): string {
  const text = typeof v === "string" ? v : JSON.stringify(v);
  return text && text !== "{}" ? text.slice(0, 120) : "";
}

function pretty(v: unknown): string {
  if (typeof v !== "string") return JSON.stringify(v, null, 2);
  try {
    return JSON.stringify(JSON.parse(v), null, 2);
  } catch {
    return v;
  }
}
