// A filter with its choices and how many processes each selects.
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../format";

export interface Option {
  value: string;
  name: string;
  count?: number;
}

interface Props {
  name: string;
  options: Option[];
  chosen: string[];
  single?: boolean;
  onChoose: (value: string) => void;
}

export function Choice({ name, options, chosen, single, onChoose }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>(".choices input")?.focus();
    const outside = (e: Event): void => {
      if (!box.current?.contains(e.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("focusin", outside);
    };
  }, [open]);
  const keys = (e: KeyboardEvent): void => {
    if (!open || e.key !== "Escape") return;
    e.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div ref={box} class="choice" onKeyDown={keys}>
      <button ref={button} type="button" aria-expanded={open} aria-pressed={chosen.length > 0} onClick={() => setOpen(!open)}>
        {name} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="choices" role="group" aria-label={name}>
          {options.length === 0 && <p class="quiet">There are none yet.</p>}
          {options.map((o) => (
            <label key={o.value} class="check">
              <input type={single ? "radio" : "checkbox"} name={name} checked={chosen.includes(o.value)} onClick={() => onChoose(o.value)} />
              <span>{o.name}</span>
              {o.count !== undefined && <span class="quiet figure">{count(o.count)}</span>}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
