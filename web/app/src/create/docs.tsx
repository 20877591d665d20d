import { useEffect, useState } from "preact/hooks";
import { sentence } from "../api/http";
import { docsOf } from "../api/tools";
import { Markdown } from "../ui/markdown";

/** How to write for an environment, as the daemon tells it. */
export function Docs({ environment }: { environment: string }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(() => matchMedia("(min-width: 1000px)").matches);
  useEffect(() => {
    const gone = new AbortController();
    docsOf(environment, gone.signal).then(setText, (e) => !gone.signal.aborted && setText(sentence(e)));
    return () => gone.abort();
  }, []);
  return (
    <aside class={open ? "docs open" : "docs"} aria-label={`About ${environment}`}>
      <button type="button" class="docs-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Hide the guide" : "Show the guide"}
      </button>
      {open && (
        <div class="docs-text" tabIndex={0} role="group" aria-label={`Guide to ${environment}`}>
          <Markdown text={text} />
        </div>
      )}
    </aside>
  );
}
