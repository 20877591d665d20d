// The token that decides. The session's own may not be allowed to; another one
// is kept in memory only, until the page is left.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

export const approveToken = signal("");

/** Asks for a token with the scope approve, in place. */
export function AskToken({ why, onToken, onCancel }: { why: string; onToken: () => void; onCancel: () => void }) {
  const [secret, setSecret] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (e: Event): void => {
    e.preventDefault();
    approveToken.value = secret.trim();
    onToken();
  };
  return (
    <form class="ask-token" onSubmit={submit} autocomplete="off">
      <p role="alert">{why}</p>
      <label>
        Token with the scope approve
        <input ref={field} type="password" required autocomplete="off" spellcheck={false} value={secret} onInput={(e) => setSecret(e.currentTarget.value)} />
      </label>
      <p class="hint">
        <code>reeve token create --scope approve --name YOU</code> makes one. It is kept until you leave or reload this page, and stored nowhere.
      </p>
      <div class="buttons">
        <button type="submit" class="primary">
          Decide with it
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Says who decides, where a token was given for it. */
export function Deciding() {
  if (!approveToken.value) return null;
  return (
    <p class="quiet deciding">
      Deciding with a token that is kept for this page only.{" "}
      <button type="button" onClick={() => (approveToken.value = "")}>
        Forget it
      </button>
    </p>
  );
}
