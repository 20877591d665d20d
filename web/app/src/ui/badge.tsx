import type { ProcessRecord } from "../api/types";
import { status } from "../format";

// Drawn, as fonts do not have all of them: on a ground of 12 by 12.
const marks: Record<string, string> = {
  queued: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M6 3.5V6.2L7.8 7.4",
  running: "M3.5 2.2L9.8 6L3.5 9.8Z",
  paused: "M4 2.5V9.5M8 2.5V9.5",
  terminating: "M3 3H9V9H3Z",
  success: "M2.2 6.4L4.8 9L9.8 3.2",
  failed: "M3 3L9 9M9 3L3 9",
  timeout: "M3 2H9M3 10H9M3.5 2C3.5 5 8.5 7 8.5 10M8.5 2C8.5 5 3.5 7 3.5 10",
  canceled: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M2.9 9.1L9.1 2.9",
  created: "M6 5.5V6.5",
};
const filled = new Set(["running", "terminating"]);

/** How a process is, in a word, a mark and a colour: never by colour alone. */
export function Badge({ process }: { process: ProcessRecord }) {
  const word = status(process);
  return (
    <span class={`badge ${word}`}>
      <svg class={filled.has(word) ? "mark filled" : "mark"} viewBox="0 0 12 12" aria-hidden="true">
        <path d={marks[word] ?? marks.created!} />
      </svg>
      {word}
    </span>
  );
}
