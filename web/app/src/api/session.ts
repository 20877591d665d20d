// Who speaks: the token, where one is needed. It is kept for this tab (or this
// browser, if a person says so) and only ever sent in a header: cookies would
// go to every other server on the same host, and URLs are written down.
import { signal } from "@preact/signals";

const key = "reeve-token";

const stored = (): string => sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "";

/** The token that requests carry; empty: none. */
export const token = signal(stored());

/** Why a token is asked for; empty: it is not. */
export const loginNeeded = signal("");

export function logIn(secret: string, remember: boolean): void {
  forget();
  (remember ? localStorage : sessionStorage).setItem(key, secret);
  token.value = secret;
  loginNeeded.value = "";
}

/** Forgets the token, and what was typed for later, in all tabs. */
export function logOut(): void {
  forget();
  sessionStorage.clear();
  token.value = "";
  left.postMessage("");
}

// Tabs tell each other: who has left has left everywhere.
const left = new BroadcastChannel("reeve-left");
left.onmessage = () => {
  forget();
  sessionStorage.clear();
  location.reload();
};

function forget(): void {
  sessionStorage.removeItem(key);
  localStorage.removeItem(key);
}

export function authorization(): Record<string, string> {
  return token.value ? { Authorization: `Bearer ${token.value}` } : {};
}
