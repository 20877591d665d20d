// The keys of the actions.
import type { ProcessRecord } from "../api/types";
import { useKeys } from "../keys";
import { pause, resume, signal } from "./control";
import { destroy } from "./destroy";
import { kill } from "./kill";
import { rerun, resumeAgent } from "./rerun";

/** What the keys act on: the selected ones, else the one under the cursor. */
export type Target = () => ProcessRecord[];

const ids = (of: ProcessRecord[]): number[] => of.map((p) => p.id);
const active = (p: ProcessRecord): boolean => p.state !== "idle";

/** Pauses what runs, or, where all of it is paused, has it go on. */
export function pauseOrResume(of: ProcessRecord[]): void {
  const running = of.filter((p) => active(p) && !p.paused);
  if (running.length > 0) void pause(ids(running));
  else void resume(ids(of));
}

/** The keys p, K, r, R, d and the signals, while the component is shown. */
export function useActionKeys(target: Target, deleted: () => void = () => {}): void {
  const act = (f: (of: ProcessRecord[]) => void) => () => {
    const of = target();
    if (of.length > 0) f(of);
  };
  const group = "Act";
  useKeys([
    { keys: ["p"], label: "Pause or resume, with all below", group, run: act(pauseOrResume) },
    { keys: ["K"], label: "Kill, with proof", group, run: act((of) => void kill(ids(of))) },
    { keys: ["r"], label: "Run again", group, run: act((of) => void rerun(ids(of))) },
    { keys: ["R"], label: "Have an agent go on from its last step", group, run: act((of) => void resumeAgent(ids(of))) },
    { keys: ["d"], label: "Delete", group, run: act((of) => void destroy(ids(of)).then((n) => n > 0 && deleted())) },
    { keys: ["s t"], label: "Send SIGTERM", group, run: act((of) => void signal(ids(of), "term")) },
    { keys: ["s i"], label: "Send SIGINT", group, run: act((of) => void signal(ids(of), "int")) },
  ]);
}
