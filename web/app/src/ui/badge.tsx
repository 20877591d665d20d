import type { ProcessRecord } from "../api/types";
import { status } from "../format";

const marks: Record<string, string> = {
  queued: "◷", running: "▶", paused: "⏸", terminating: "◼", success: "✓", failed: "✗", timeout: "⏱", canceled: "⊘", created: "·",
};

/** How a process is, in a word, a mark and a colour: never by colour alone. */
export function Badge({ process }: { process: Pick<ProcessRecord, "paused" | "state" | "exitState"> }) {
  const word = status(process);
  return (
    <span class={`badge ${word}`}>
      <span aria-hidden="true">{marks[word] ?? "·"}</span> {word}
    </span>
  );
}
