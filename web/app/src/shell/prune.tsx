// Pruning removes old events and logs now, instead of when their time comes.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { post } from "../api/http";
import { plural } from "../format";
import { Dialog } from "../ui/dialog";
import { attempt, tell } from "../ui/toast";

interface Ages {
  events: number; // days
  logs: number;
}

const asking = signal<((ages: Ages | null) => void) | null>(null);
const day = 24 * 60 * 60 * 1000;

export async function prune(): Promise<void> {
  const ages = await new Promise<Ages | null>((resolve) => {
    asking.value = (answer) => ((asking.value = null), resolve(answer));
  });
  if (!ages) return;
  await attempt(async () => {
    const gone = await post<{ events: number; logs: number }>("/prune", { events: Math.round(ages.events * day), logs: Math.round(ages.logs * day) });
    tell(`Pruned: ${plural(gone.events, "event", "events")} and ${plural(gone.logs, "log", "logs")} removed`);
  });
}

export function PruneQuestion() {
  const answer = asking.value;
  return answer && <PruneDialog answer={answer} />;
}

function PruneDialog({ answer }: { answer: (ages: Ages | null) => void }) {
  const [events, setEvents] = useState("30");
  const [logs, setLogs] = useState("7");
  const submit = (e: Event): void => {
    e.preventDefault();
    answer({ events: Number(events), logs: Number(logs) });
  };
  return (
    <Dialog title="Prune old events and logs" onClose={() => answer(null)}>
      <form class="prune" onSubmit={submit}>
        <p class="question">Records of processes stay. What is removed cannot be brought back; pinned processes keep theirs.</p>
        <label>
          Events older than, in days
          <input type="number" min="0" step="any" required value={events} onInput={(e) => setEvents(e.currentTarget.value)} />
        </label>
        <label>
          Logs older than, in days
          <input type="number" min="0" step="any" required value={logs} onInput={(e) => setLogs(e.currentTarget.value)} />
        </label>
        <footer>
          <button type="button" onClick={() => answer(null)}>
            Cancel
          </button>
          <button type="submit" class="danger">
            Prune
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
