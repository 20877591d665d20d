import { useEffect } from "preact/hooks";
import { post } from "../api/http";
import type { ProcessRecord } from "../api/types";
import { useKeys } from "../keys";
import { go, href } from "../router";
import { bodyOf } from "./body";
import { FieldRow, idOf } from "./field";
import { fieldsOf, groupsOf, shownFirst, type Field } from "./fields";
import type { Kind } from "./kinds";
import { Main } from "./main";
import { made, keyFor } from "./once";
import { Created, useCreated } from "./created";
import { useForm, type Form } from "./state";

type Then = "watch" | "stay" | "park";

/** The form of one kind of process. */
export function ProcessForm({ kind }: { kind: Kind }) {
  const form = useForm(kind, ["line", "code", ...fieldsOf(kind).map((f) => f.path)]);
  const created = useCreated();
  const submit = (then: Then): void =>
    void form.attempt(async (values) => {
      const body = bodyOf(kind, values);
      if (then === "park") body.autorun = false;
      const sent = JSON.stringify(body);
      const p = await post<ProcessRecord>("/processes", body, { "Idempotency-Key": keyFor(sent) });
      made();
      if (then === "watch") go(href(`processes/${p.id}`));
      else created.add(p);
    });
  useKeys([{ keys: ["Mod+Enter"], label: "Run and watch", group: "New process", run: () => submit("watch") }]);
  useShown(form);
  return (
    <form class="process-form" noValidate onSubmit={(e) => (e.preventDefault(), submit("watch"))}>
      {form.wrong?.field === "" && (
        <p class="error top-error" role="alert">
          {form.wrong.text}
        </p>
      )}
      <Main kind={kind} form={form} onRun={() => submit("watch")} />
      <Grid fields={shownFirst(kind)} form={form} />
      {groupsOf(kind).map((g) => (
        <Section key={g.title} title={g.title} fields={g.fields} form={form} />
      ))}
      <footer class="create-actions">
        <button type="submit" class="primary" disabled={form.busy} title="Ctrl+Enter">
          Run and watch
        </button>
        <button type="button" disabled={form.busy} onClick={() => submit("stay")}>
          Run
        </button>
        <button type="button" disabled={form.busy} onClick={() => submit("park")}>
          Create without running
        </button>
        <span class="spacer" />
        <button type="button" class="plain" disabled={Object.keys(form.values).length === 0} onClick={() => form.fill({})}>
          Clear
        </button>
      </footer>
      <Created created={created} />
    </form>
  );
}

// An error that is about a field has it in sight, and in focus.
function useShown(form: Form): void {
  useEffect(() => {
    if (!form.wrong?.field) return;
    const at = document.getElementById(idOf(form.wrong.field));
    const section = at?.closest("details");
    if (section) section.open = true;
    at?.scrollIntoView({ block: "center" });
    at?.focus();
  }, [form.wrong]);
}

/** A group of options, closed while nothing in it is set. */
function Section({ title, fields, form }: { title: string; fields: Field[]; form: Form }) {
  const set = fields.filter((f) => isSet(f, form)).length;
  return (
    <details class="section">
      <summary>
        {title} {set > 0 && <span class="count">{set} set</span>}
      </summary>
      <Grid fields={fields} form={form} />
    </details>
  );
}

function isSet(f: Field, form: Form): boolean {
  const v = form.values[f.path];
  return v !== undefined && v !== "" && v !== false && v !== f.choices?.[0];
}

function Grid({ fields, form }: { fields: Field[]; form: Form }) {
  if (fields.length === 0) return null;
  return (
    <div class="fields">
      {fields.map((f) => (
        <FieldRow key={f.path} field={f} value={form.values[f.path]} wrong={form.wrong?.field === f.path ? form.wrong.text : undefined} onChange={(v) => form.set(f.path, v)} />
      ))}
    </div>
  );
}
