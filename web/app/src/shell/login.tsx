import { useEffect, useRef, useState } from "preact/hooks";
import { logIn, loginNeeded } from "../api/session";

/** Asks for a token. Nothing else is shown meanwhile. */
export function Login({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState("");
  const [remember, setRemember] = useState(false);
  const [wrong, setWrong] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = async (e: Event): Promise<void> => {
    e.preventDefault();
    const problem = await tryOut(secret.trim());
    setWrong(problem);
    if (problem) return;
    logIn(secret.trim(), remember);
    onDone();
  };
  return (
    <main class="login">
      <form onSubmit={submit} autocomplete="off">
        <h1>Reeve</h1>
        <p>{loginNeeded.value}</p>
        <label>
          Token
          <input ref={input} type="password" name="token" required autocomplete="off" spellcheck={false} value={secret} onInput={(e) => setSecret(e.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={remember} onChange={(e) => setRemember(e.currentTarget.checked)} /> Remember it in this browser
        </label>
        {wrong && (
          <p class="error" role="alert">
            {wrong}
          </p>
        )}
        <button type="submit" class="primary">
          Log in
        </button>
        <p class="hint">
          On the daemon's machine: <code>reeve token create --scope read --scope run</code>
        </p>
      </form>
    </main>
  );
}

// tryOut says what is wrong with a token, before anything else uses it.
async function tryOut(secret: string): Promise<string> {
  try {
    const answer = await fetch("/version", { headers: { Authorization: `Bearer ${secret}` } });
    if (answer.status === 401) return "The daemon does not know this token.";
    return answer.ok ? "" : `The daemon answered ${answer.status}.`;
  } catch {
    return "The daemon does not answer.";
  }
}
