import { useEffect, useRef, useState } from "preact/hooks";
import type { Language, Mounted } from "./codemirror";

interface Props {
  label: string;
  language: Language;
  value: string;
  hint: string; // shown while it is empty
  revision: number; // another one: the value did not come from here
  onChange: (text: string) => void;
  onRun: () => void;
  invalid?: boolean;
  describedBy?: string;
  line?: number; // to mark, from 1
}

/**
 * An editor. It is fetched when it is first needed; where that fails, a plain
 * field does.
 */
export function Editor(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const mounted = useRef<Mounted | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [state, setState] = useState<"loading" | "ready" | "plain">("loading");
  useEffect(() => {
    let gone = false;
    import("./codemirror").then(
      ({ mount }) => {
        if (gone || !place.current) return;
        const { label, language, value, hint, describedBy } = latest.current;
        mounted.current = mount(place.current, {
          label,
          language,
          value,
          hint,
          describedBy,
          onChange: (text) => latest.current.onChange(text),
          onRun: () => latest.current.onRun(),
        });
        setState("ready");
      },
      () => !gone && setState("plain"),
    );
    return () => {
      gone = true;
      mounted.current?.destroy();
      mounted.current = null;
    };
  }, [props.language]);
  // Not for each value: while a person types, those from here come back late.
  useEffect(() => mounted.current?.set(props.value), [props.revision]);
  useEffect(() => mounted.current?.mark(props.line), [props.line, state]);
  return (
    <div class={props.invalid ? "editor invalid" : "editor"}>
      {state === "loading" && <p class="quiet">Loading the editor…</p>}
      {state === "plain" && (
        <textarea aria-label={props.label} spellcheck={false} value={props.value} onInput={(e) => props.onChange(e.currentTarget.value)} />
      )}
      <div ref={place} class="editor-place" />
    </div>
  );
}
