// Output as files. A finished run's streams are fetched as the exact bytes that
// were written; everything else is put together from lines.
import { send } from "../../api/http";
import type { Stream } from "./protocol";

export async function downloadStream(id: number, run: number, stream: Stream): Promise<void> {
  const answer = await send("GET", `/processes/${id}/runs/${run}/${stream}`);
  save(await answer.blob(), `process-${id}-run-${run}.${stream}.log`);
}

/** Gives a person a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
