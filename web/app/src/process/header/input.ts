// Whether a process takes input, and giving it some.
import { useEffect, useState } from "preact/hooks";
import { send } from "../../api/http";
import type { ProcessRecord } from "../../api/types";

/** Gives bytes to a process; eof ends its input after them. */
export async function input(id: number, bytes: string | Uint8Array<ArrayBuffer>, eof = false): Promise<void> {
  await send("POST", `/processes/${id}/input${eof ? "?eof=1" : ""}`, { body: bytes, headers: { "Content-Type": "application/octet-stream" } });
}

/** Whether it takes input now. The record does not tell of a pipe that is open: nothing is offered to it, to see. */
export function useTakesInput(p: ProcessRecord | null): boolean {
  const [takes, setTakes] = useState(false);
  const running = p?.state === "running" && p.environment === "command";
  useEffect(() => {
    setTakes(false);
    if (!p || !running) return;
    if (p.command?.pty) return setTakes(true);
    let gone = false;
    void input(p.id, "").then(
      () => !gone && setTakes(true),
      () => {}, // it does not, or this person may not
    );
    return () => {
      gone = true;
    };
  }, [p?.id, p?.run, running]);
  return takes;
}
