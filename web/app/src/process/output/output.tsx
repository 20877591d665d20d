import { useEffect, useState } from "preact/hooks";
import { authorization } from "../../api/session";
import { Virtual } from "../../ui/virtual";
import type { Line, Outgoing } from "./protocol";

declare const WORKER: string; // where the built worker is

export function Output({ id }: { id: number }) {
  const [lines, setLines] = useState<Line[]>([]);
  useEffect(() => {
    const worker = new Worker(WORKER, { type: "module" });
    worker.onmessage = (e: MessageEvent<Outgoing>) => {
      const message = e.data;
      if (message.kind === "lines") setLines((old) => [...old, ...message.lines.filter((l) => l.stream && !l.partial)]);
    };
    worker.postMessage({ kind: "follow", path: `/processes/${id}`, after: "0", headers: authorization() });
    return () => worker.terminate();
  }, [id]);
  return <Virtual count={lines.length} rowHeight={20} label="Output" row={(i) => <pre key={i}>{lines[i]!.text}</pre>} />;
}
