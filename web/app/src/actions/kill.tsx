// Killing cannot be undone, so it asks, and says how it may be done.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { KillOptions } from "../api/processes";
import { Dialog } from "../ui/dialog";
import { attempt, busy, complain, tell } from "../ui/toast";
import { names, report } from "./bulk";
import { end, proof } from "./ending";

interface Question {
  ids: number[];
  suggested: KillOptions;
  answer: (o: KillOptions | null) => void;
}

const question = signal<Question | null>(null);

/** Asks how, kills, waits, and proves it. */
export async function kill(ids: number[], suggested: KillOptions = {}): Promise<void> {
  if (ids.length === 0) return;
  const options = await new Promise<KillOptions | null>((resolve) => {
    question.value?.answer(null);
    question.value = { ids, suggested, answer: (o) => ((question.value = null), resolve(o)) };
  });
  if (options) await attempt(() => carryOut(ids, options));
}

async function carryOut(ids: number[], o: KillOptions): Promise<void> {
  const note = busy(ids.length === 1 ? `Killing ${ids[0]}…` : `Killing ${ids.length} processes…`);
  try {
    const ended = await end(ids, o, note.say);
    if (ended.left.length > 0) {
      complain(new Error(`${proof(ended)}: ${ended.left.map((s) => `${s.command} (pid ${s.pid})`).join(", ")}`));
    } else if (ended.ended === 0 && ended.failed.length === 0) {
      tell("Nothing was running any more. 0 processes ended, 0 left");
    } else {
      report(ended.ended > 0 ? proof(ended) : "", ended.failed);
    }
  } finally {
    note.end();
  }
}

/** The question, where one is asked. */
export function KillQuestion() {
  const q = question.value;
  return q && <KillDialog key={q.ids.join()} {...q} />;
}

function KillDialog({ ids, suggested, answer }: Question) {
  const [now, setNow] = useState(suggested.now ?? false);
  const [grace, setGrace] = useState("");
  const [tree, setTree] = useState(suggested.tree ?? true);
  const submit = (e: Event): void => {
    e.preventDefault();
    const seconds = Number(grace);
    answer({ now, tree, ...(!now && grace !== "" && seconds >= 0 ? { grace: Math.round(seconds * 1000) } : {}) });
  };
  return (
    <Dialog title={ids.length === 1 ? `Kill ${ids[0]}?` : `Kill ${ids.length} processes?`} onClose={() => answer(null)}>
      <form class="kill" onSubmit={submit}>
        <p class="question">{ids.length === 1 ? "This cannot be undone." : `${names(ids)}. This cannot be undone.`}</p>
        <label class="check">
          <input type="radio" name="how" checked={!now} onChange={() => setNow(false)} />
          <span>
            Let it end by itself first (SIGTERM), kill it after{" "}
            <input class="seconds" type="number" min="0" step="any" placeholder="5" aria-label="Seconds of grace" value={grace} disabled={now} onInput={(e) => setGrace(e.currentTarget.value)} />{" "}
            seconds
          </span>
        </label>
        <label class="check">
          <input type="radio" name="how" checked={now} onChange={() => setNow(true)} /> Kill it now (SIGKILL)
        </label>
        <label class="check">
          <input type="checkbox" checked={tree} onChange={(e) => setTree(e.currentTarget.checked)} /> And the Reeve processes below it
        </label>
        <footer>
          <button type="button" onClick={() => answer(null)}>
            Cancel
          </button>
          <button type="submit" class="danger" autofocus>
            Kill
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
