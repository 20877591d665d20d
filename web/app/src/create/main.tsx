// The part of a form that is its point: the program, the command, the intent.
import { quote } from "../format";
import { Editor } from "./editor/editor";
import { idOf } from "./field";
import { text, type Kind } from "./kinds";
import type { Form } from "./state";
import { parse } from "./words";

interface Props {
  kind: Kind;
  form: Form;
  onRun: () => void;
}

export function Main(p: Props) {
  if (p.kind === "command") return <Line {...p} />;
  return p.kind === "agent" ? <Intent {...p} /> : <Program {...p} />;
}

export const editorHint = "Ctrl+Enter runs it, Ctrl+Space completes. Tab indents; press Escape, then Tab to leave the editor.";

function Wrong({ form, field }: { form: Form; field: string }) {
  if (form.wrong?.field !== field) return null;
  return (
    <p class="error" id={`${idOf(field)}-wrong`} role="alert">
      {form.wrong.text}
    </p>
  );
}

function Program({ form, onRun }: Props) {
  return (
    <div class="field wide" id={idOf("code")} tabIndex={-1}>
      <Editor label="Program in TypeScript" language="typescript" hint={'console.log("hello");\nreeve.output({ answer: 42 });'} value={text(form.values.code)} revision={form.revision} onChange={(v) => form.set("code", v)} onRun={onRun} invalid={form.wrong?.field === "code"} describedBy="editor-hint" />
      <Wrong form={form} field="code" />
      <p class="hint" id="editor-hint">
        {editorHint}
      </p>
    </div>
  );
}

function Intent({ form }: Props) {
  const id = idOf("code");
  return (
    <div class="field wide">
      <label for={id}>Intent</label>
      <textarea id={id} rows={5} value={text(form.values.code)} aria-describedby={`${id}-hint`} aria-invalid={form.wrong?.field === "code" || undefined} onInput={(e) => form.set("code", e.currentTarget.value)} />
      <Wrong form={form} field="code" />
      <p class="hint" id={`${id}-hint`}>
        Say what is wanted, what may be used, and how to tell that it is done. Nobody answers questions.
      </p>
    </div>
  );
}

function Line({ form }: Props) {
  const id = idOf("line");
  const line = text(form.values.line);
  const shell = form.values.shell === true;
  const parsed = parse(line);
  const common = {
    id,
    class: "mono",
    value: line,
    spellcheck: false,
    autocomplete: "off",
    "aria-describedby": `${id}-words`,
    "aria-invalid": form.wrong?.field === "line" || undefined,
    onInput: (e: { currentTarget: { value: string } }) => form.set("line", e.currentTarget.value),
  };
  return (
    <div class="field wide">
      <label for={id}>{shell ? "Script for the shell" : "Command line"}</label>
      {shell ? <textarea {...common} rows={Math.min(14, Math.max(3, line.split("\n").length))} /> : <input {...common} placeholder="make build" autofocus />}
      <Wrong form={form} field="line" />
      <label class="check">
        <input type="checkbox" checked={shell} onChange={(e) => form.set("shell", e.currentTarget.checked)} />
        Run it by the shell
      </label>
      <div id={`${id}-words`} class="words">
        {shell ? <ShellHint /> : <Words words={parsed.words} open={parsed.open} wantsShell={parsed.wantsShell} />}
      </div>
    </div>
  );
}

function ShellHint() {
  return <p class="hint">The shell of the daemon's machine runs it. With a directory, variables or input of its own it is run as sh -c.</p>;
}

/** The words as the program gets them. */
function Words({ words, open, wantsShell }: ReturnType<typeof parse>) {
  if (words.length === 0) return <p class="hint">A program and its arguments. Quotes keep words together.</p>;
  return (
    <>
      <ul class="word-list" aria-label="Program and arguments">
        {words.map((w, i) => (
          <li key={i} class={i === 0 ? "word program" : "word"}>
            {w === "" ? quote(w) : w}
          </li>
        ))}
      </ul>
      {open && <p class="hint">A quote is not closed.</p>}
      {wantsShell && <p class="notice">Some of this means something to a shell only, such as |, &amp;&amp;, * or $HOME. As it is, the program gets it to the letter.</p>}
    </>
  );
}
