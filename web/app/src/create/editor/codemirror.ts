// CodeMirror, set up: highlighting, completion, undo, brackets. Fetched on its
// own when an editor is first shown.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript, typescriptLanguage } from "@codemirror/lang-javascript";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { EditorState, Prec, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, placeholder, type DecorationSet } from "@codemirror/view";
import { complete } from "./complete";
import { theme } from "./theme";

export type Language = "typescript" | "yaml";

export interface Options {
  label: string;
  language: Language;
  value: string;
  hint: string; // shown while it is empty
  describedBy?: string;
  onChange: (text: string) => void;
  onRun: () => void;
}

export interface Mounted {
  set: (text: string) => void;
  mark: (line: number | undefined) => void;
  destroy: () => void;
}

const languages: Record<Language, () => Extension> = {
  typescript: () => [javascript({ typescript: true }), typescriptLanguage.data.of({ autocomplete: complete })],
  yaml: () => yaml(),
};

/** Shows an editor in a place. */
export function mount(parent: HTMLElement, o: Options): Mounted {
  const view = new EditorView({ parent, state: EditorState.create({ doc: o.value, extensions: extensions(o) }) });
  return {
    set: (text) => {
      if (text !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    mark: (line) => view.dispatch({ effects: setMark.of(line ?? 0) }),
    destroy: () => view.destroy(),
  };
}

function extensions(o: Options): Extension {
  const run = { key: "Mod-Enter", run: () => (o.onRun(), true) };
  return [
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    placeholder(o.hint),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    marked,
    leaving,
    Prec.highest(keymap.of([run])),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
    languages[o.language](),
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": o.label, ...(o.describedBy ? { "aria-describedby": o.describedBy } : {}) }),
    EditorView.updateListener.of((u) => u.docChanged && o.onChange(u.state.doc.toString())),
  ];
}

// Escape makes Tab leave the editor, until another key is pressed. CodeMirror has
// that for two seconds, and not where Escape closed a list: too little for some.
const leaving = Prec.highest(
  EditorView.domEventHandlers({
    keydown: (e, view) => {
      if (e.key === "Escape") view.setTabFocusMode(true);
      else if (e.key !== "Tab" && e.key !== "Shift") view.setTabFocusMode(false);
      return false;
    },
    blur: (_, view) => view.setTabFocusMode(false),
  }),
);

// The line that the daemon found something wrong with, until it is changed.
const setMark = StateEffect.define<number>();

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, t) => {
    for (const e of t.effects) {
      if (!e.is(setMark)) continue;
      if (e.value < 1 || e.value > t.state.doc.lines) return Decoration.none;
      return Decoration.set(Decoration.line({ class: "cm-wrong" }).range(t.state.doc.line(e.value).from));
    }
    return t.docChanged ? Decoration.none : marks;
  },
  provide: (f) => EditorView.decorations.from(f),
});
