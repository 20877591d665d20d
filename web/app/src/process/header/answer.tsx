// A line of input for a process that reads.
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/http";
import type { ProcessEvent, ProcessRecord } from "../../api/types";
import { href } from "../../router";
import { subscribe } from "../../state/feed";
import { attempt } from "../../ui/toast";
import { input } from "./input";

export function Answer({ process: p }: { process: ProcessRecord }) {
  const [prompt, answered] = usePrompt(p);
  const [text, setText] = useState("");
  const secret = /pass(?:word|phrase)|secret|token|\bpin\b/i.test(prompt);
  const send = (eof: boolean): void =>
    void attempt(async () => {
      await input(p.id, eof ? "" : text + (p.command?.pty ? "\r" : "\n"), eof);
      setText("");
      answered();
    });
  return (
    <form
      class="answer"
      onSubmit={(e) => {
        e.preventDefault();
        send(false);
      }}
    >
      {prompt && <span class="asks">It asks: {prompt}</span>}
      <input
        {...(secret ? { type: "password" as const } : { type: "text" as const })}
        aria-label={prompt ? `Answer to: ${prompt}` : "Input for the process"}
        placeholder="Type a line for the process"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
      />
      <button type="submit" class={prompt ? "primary" : ""}>
        Send
      </button>
      <button type="button" title="Ends its input, as Ctrl-D does" onClick={() => send(true)}>
        End of input
      </button>
      {p.command?.pty && (
        <a class="button" href={href(`processes/${p.id}/terminal`)}>
          Terminal
        </a>
      )}
    </form>
  );
}

const newest = Number.MAX_SAFE_INTEGER;

// usePrompt is what the process asks; empty when something followed.
function usePrompt(p: ProcessRecord): [string, () => void] {
  const [prompt, setPrompt] = useState("");
  useEffect(() => {
    let gone = false;
    const look = async (): Promise<void> => {
      const page = await get<{ events: ProcessEvent[] }>(`/processes/${p.id}/events`, { before: newest, limit: 1 }).catch(() => null);
      const last = page?.events.at(-1);
      if (!gone) setPrompt(last?.kind === "prompt_detected" ? String(last.prompt) : "");
    };
    void look();
    const leave = subscribe({ events: (all) => all.some((e) => e.process === p.id) && void look(), reload: () => void look() });
    return () => {
      gone = true;
      leave();
    };
  }, [p.id, p.run, p.stdoutBytes]);
  return [prompt, () => setPrompt("")];
}
