// Fetching again when things change, without flooding the daemon.
import { useEffect, useRef } from "preact/hooks";
import { complain } from "../ui/toast";

const gap = 150;

/**
 * Makes a function that does the work: one at a time, with a short pause after
 * each, and once more for all that asked meanwhile.
 */
export function useCoalesced(work: () => Promise<void>): () => void {
  const latest = useRef(work);
  latest.current = work;
  const state = useRef({ busy: false, again: false, gone: false });
  useEffect(() => {
    state.current.gone = false;
    return () => void (state.current.gone = true);
  }, []);
  const run = async (): Promise<void> => {
    const s = state.current;
    s.again = true;
    if (s.busy) return;
    s.busy = true;
    try {
      while (s.again && !s.gone) {
        s.again = false;
        await latest.current();
        await new Promise((resolve) => setTimeout(resolve, gap));
      }
    } catch (e) {
      if (!s.gone) complain(e);
    } finally {
      s.busy = false;
    }
  };
  return () => void run();
}
