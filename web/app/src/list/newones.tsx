// New processes come at the top. Who has scrolled down is told, not moved.
import { useEffect, useRef, useState } from "preact/hooks";
import { plural } from "../format";

export function NewOnes({ ids, live }: { ids: number[]; live: boolean }) {
  const ref = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState(Infinity); // the newest one that was in sight
  const newest = ids[0] ?? 0;
  const top = (): HTMLElement | null => ref.current?.parentElement?.querySelector<HTMLElement>(".virtual") ?? null;
  useEffect(() => {
    const box = top();
    if (!box) return;
    const see = (): void => {
      if (box.scrollTop < 10) setKnown(newest);
    };
    see();
    box.addEventListener("scroll", see, { passive: true });
    return () => box.removeEventListener("scroll", see);
  }, [newest]);
  let n = 0;
  if (live) while (n < ids.length && ids[n]! > known) n++;
  return (
    <div ref={ref} class="new-ones" aria-live="polite">
      {n > 0 && (
        <button type="button" class="primary" onClick={() => top()?.scrollTo({ top: 0 })}>
          ↑ {plural(n, "new process", "new processes")}
        </button>
      )}
    </div>
  );
}
