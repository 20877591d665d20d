// A button that opens a list of things to do.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Item {
  name: string;
  hint?: string; // its key
  danger?: boolean;
  run: () => void;
}

interface Props {
  label: string;
  title?: string;
  items: Item[];
}

export function Menu({ label, title, items }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (e: Event): void => {
      if (!box.current?.contains(e.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div ref={box} class="menu" onKeyDown={(e) => open && move(e, box.current!, close)}>
      <button ref={button} type="button" aria-haspopup="menu" aria-expanded={open} aria-label={title} title={title} onClick={() => setOpen(!open)}>
        {label} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="menu-items" role="menu" aria-label={title ?? label}>
          {items.map((item) => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.danger ? "plain risky" : "plain"}
              onClick={() => {
                close();
                item.run();
              }}
            >
              <span>{item.name}</span>
              {item.hint && <kbd>{item.hint}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

// move goes through the items; Tab and Escape leave.
function move(e: KeyboardEvent, box: HTMLElement, close: () => void): void {
  const items = [...box.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  const next = to[e.key];
  if (next !== undefined) items[(next + items.length) % items.length]?.focus();
  else if (e.key === "Escape" || e.key === "Tab") close();
  else return;
  if (e.key !== "Tab") e.preventDefault();
  e.stopPropagation();
}
