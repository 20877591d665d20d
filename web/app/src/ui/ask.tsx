// Questions before what cannot be undone.
import { signal } from "@preact/signals";
import { Dialog } from "./dialog";

interface Question {
  title: string;
  text: string;
  yes: string;
  danger: boolean;
  answer: (yes: boolean) => void;
}

const question = signal<Question | null>(null);

/** Asks a person, and waits for the answer. */
export function ask(title: string, text: string, yes: string, danger = true): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((resolve) => {
    question.value = {
      title,
      text,
      yes,
      danger,
      answer: (ok) => {
        question.value = null;
        resolve(ok);
      },
    };
  });
}

export function Asking() {
  const q = question.value;
  if (!q) return null;
  return (
    <Dialog title={q.title} onClose={() => q.answer(false)}>
      <p class="question">{q.text}</p>
      <footer>
        <button type="button" onClick={() => q.answer(false)}>
          Cancel
        </button>
        <button type="button" class={q.danger ? "danger" : "primary"} autofocus onClick={() => q.answer(true)}>
          {q.yes}
        </button>
      </footer>
    </Dialog>
  );
}
