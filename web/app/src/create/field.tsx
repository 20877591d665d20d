import type { Field } from "./fields";
import { rows, text, type Row, type Value } from "./kinds";

interface Props {
  field: Field;
  value: Value | undefined;
  wrong?: string;
  onChange: (v: Value) => void;
}

export const idOf = (path: string): string => `field-${path.replaceAll(".", "-")}`;

/** One field with its hint, and what is wrong with it. */
export function FieldRow(p: Props) {
  const id = idOf(p.field.path);
  if (p.field.kind === "pairs") return <Pairs {...p} />;
  if (p.field.kind === "check") return <Check {...p} />;
  return (
    <div class={p.field.kind === "area" ? "field wide" : "field"}>
      <label for={id}>{p.field.label}</label>
      <Input {...p} />
      <Below {...p} />
    </div>
  );
}

function Below({ field, wrong }: Props) {
  const id = idOf(field.path);
  return (
    <>
      {wrong && (
        <p class="error" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
      <p class="hint" id={`${id}-hint`}>
        {field.hint}
      </p>
    </>
  );
}

function described(p: Props): Record<string, string | boolean | undefined> {
  const id = idOf(p.field.path);
  return { "aria-describedby": p.wrong ? `${id}-wrong ${id}-hint` : `${id}-hint`, "aria-invalid": p.wrong ? true : undefined };
}

function Input(p: Props) {
  const { field: f, value, onChange } = p;
  const common = { id: idOf(f.path), ...described(p) };
  if (f.kind === "choice") {
    return (
      <select {...common} value={text(value) || f.choices![0]} onChange={(e) => onChange(e.currentTarget.value)}>
        {f.choices!.map((c) => (
          <option key={c}>{c}</option>
        ))}
      </select>
    );
  }
  const typed = { ...common, value: text(value), placeholder: f.example, spellcheck: false, autocomplete: "off", onInput: (e: { currentTarget: { value: string } }) => onChange(e.currentTarget.value) };
  if (f.kind === "area") return <textarea {...typed} rows={3} />;
  if (f.kind === "secret") return <input {...typed} type="password" />;
  if (!f.choices) return <input {...typed} type="text" inputMode={f.kind === "number" ? "numeric" : undefined} />;
  return (
    <>
      <input {...typed} type="text" list={`${common.id}-list`} />
      <datalist id={`${common.id}-list`}>
        {f.choices.map((c) => (
          <option key={c} value={c} />
        ))}
      </datalist>
    </>
  );
}

function Check(p: Props) {
  return (
    <div class="field">
      <label class="check">
        <input type="checkbox" id={idOf(p.field.path)} {...described(p)} checked={p.value === true} onChange={(e) => p.onChange(e.currentTarget.checked)} />
        {p.field.label}
      </label>
      <Below {...p} />
    </div>
  );
}

/** Rows of NAME = value; the value is not shown. */
function Pairs(p: Props) {
  const all = rows(p.value);
  const set = (i: number, change: Partial<Row>): void => p.onChange(all.map((r, j) => (i === j ? { ...r, ...change } : r)));
  const id = idOf(p.field.path);
  const empty = all.filter((r) => r.name.trim() !== "" && r.value === "").map((r) => r.name.trim());
  return (
    <fieldset class="field wide variables" id={id} tabIndex={-1} aria-describedby={described(p)["aria-describedby"] as string}>
      <legend>{p.field.label}</legend>
      {all.map((r, i) => (
        <div class="variable" key={i}>
          <input aria-label={`Name of variable ${i + 1}`} placeholder="NAME" class="mono" spellcheck={false} autocomplete="off" value={r.name} onInput={(e) => set(i, { name: e.currentTarget.value })} />
          <span aria-hidden="true">=</span>
          <input aria-label={`Value of ${r.name || `variable ${i + 1}`}`} placeholder="value" type="password" autocomplete="off" value={r.value} onInput={(e) => set(i, { value: e.currentTarget.value })} />
          <button type="button" class="plain" aria-label={`Remove ${r.name || `variable ${i + 1}`}`} onClick={() => p.onChange(all.filter((_, j) => i !== j))}>
            ✕
          </button>
        </div>
      ))}
      <div>
        <button type="button" onClick={() => p.onChange([...all, { name: "", value: "" }])}>
          Add a variable
        </button>
      </div>
      {empty.length > 0 && <p class="notice">{empty.join(", ")}: no value. Values are kept nowhere, so type them again after a reload.</p>}
      <Below {...p} />
    </fieldset>
  );
}
