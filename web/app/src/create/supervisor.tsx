import { useEffect, useState } from "preact/hooks";
import { supervise } from "../api/tools";
import { useKeys } from "../keys";
import { go, href } from "../router";
import { Editor } from "./editor/editor";
import { Mistake } from "./convert";
import { idOf } from "./field";
import { text } from "./kinds";
import { unknown } from "./like";
import { editorHint } from "./main";
import { keyFor, made } from "./once";
import { useForm } from "./state";

const example = `name: example
strategy: one_for_one
maxRestarts: 3
window: 5s
children:
  - name: clock
    environment: command
    code: |
      while true; do date; sleep 2; done
    shutdown: 2s
  - name: once
    restart: transient
    command: {program: echo, args: [done]}
`;

/** Starts a supervision tree, described in YAML. */
export function SupervisorForm() {
  const form = useForm("supervisor", ["code"]);
  const [line, setLine] = useState<number>();
  const code = text(form.values.code);
  const submit = (): void =>
    void form.attempt(async (values) => {
      const code = text(values.code);
      if (code.includes(unknown)) throw new Mistake("code", `Type again what stands there as ${unknown}: the daemon does not show what is secret.`);
      const s = await supervise(code, keyFor(code));
      made();
      go(href(`processes/${s.id}`));
    });
  useEffect(() => setLine(lineIn(form.wrong?.text)), [form.wrong]);
  useKeys([{ keys: ["Mod+Enter"], label: "Start and watch", group: "New process", run: submit }]);
  return (
    <form class="process-form" noValidate onSubmit={(e) => (e.preventDefault(), submit())}>
      <div class="field wide" id={idOf("code")} tabIndex={-1}>
        <Editor label="Supervision tree in YAML" language="yaml" hint={"name: shop\nchildren:\n  - name: db\n    command: {program: redis-server}"} value={code} revision={form.revision} onChange={(v) => form.set("code", v)} onRun={submit} invalid={!!form.wrong} describedBy="editor-hint" line={line} />
        {form.wrong && (
          <p class="error" role="alert">
            {form.wrong.text}
          </p>
        )}
        <p class="hint" id="editor-hint">
          {editorHint} Directories are absolute here.
        </p>
      </div>
      <footer class="create-actions">
        <button type="submit" class="primary" disabled={form.busy || code.trim() === ""} title="Ctrl+Enter">
          Start and watch
        </button>
        <button type="button" onClick={() => form.fill({ code: example })} disabled={code.trim() !== ""}>
          Start from an example
        </button>
        <span class="spacer" />
        <button type="button" class="plain" disabled={code === ""} onClick={() => form.fill({})}>
          Clear
        </button>
      </footer>
    </form>
  );
}

// The daemon's sentence names the line.
function lineIn(wrong: string | undefined): number | undefined {
  const found = /\bline (\d+)|^[\w ]*:?(\d+): /.exec(wrong ?? "");
  return found ? Number(found[1] ?? found[2]) : undefined;
}
