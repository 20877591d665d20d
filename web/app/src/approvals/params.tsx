import { useState } from "preact/hooks";
import { plainly } from "../format";

const most = 14;

/** Parameters of a call, to be read before deciding: long ones can be opened. */
export function Params({ value }: { value: unknown }) {
  const [open, setOpen] = useState(false);
  const lines = plainly(JSON.stringify(value, null, 2)).split("\n");
  const long = lines.length > most;
  const shown = open || !long ? lines : lines.slice(0, most - 2);
  return (
    <div class="params">
      <pre tabIndex={0} role="group" aria-label="Parameters">
        {shown.join("\n")}
        {shown.length < lines.length && "\n…"}
      </pre>
      {long && (
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </div>
  );
}
