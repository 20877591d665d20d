// Requests and their errors.
import { authorization, loginNeeded, token } from "./session";

/** An answer that was not a success, or none at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Query = Record<string, string | number | boolean | undefined | null>;

/** A path with the parameters that have a value. */
export function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** Sends a request and returns its answer, which is a success. */
export async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  const used = token.value;
  try {
    answer = await fetch(path, { ...init, method, headers: { ...authorization(), ...init.headers } });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new ApiError(0, "unreachable", "The daemon does not answer.");
  }
  if (answer.ok) return answer;
  throw await failure(answer, used !== token.value || new Headers(init.headers).has("Authorization"));
}

// A request with a token of its own, or from before the login, says nothing about
// the session's.
async function failure(answer: Response, ownToken: boolean): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string; code?: string };
  const message = body.error ?? `The daemon answered ${answer.status}.`;
  if (answer.status === 401 && !ownToken && !message.includes("scope approve")) {
    loginNeeded.value = token.value ? "This token is not known to the daemon." : "This daemon wants a token.";
  }
  return new ApiError(answer.status, body.code ?? "", message);
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const answer = await send("GET", withQuery(path, query), { signal });
  return (await answer.json()) as T;
}

export async function getText(path: string, query?: Query, signal?: AbortSignal): Promise<string> {
  const answer = await send("GET", withQuery(path, query), { signal });
  return answer.text();
}

export async function post<T>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const answer = await send("POST", path, {
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
  });
  return (await answer.json()) as T;
}

export async function remove<T>(path: string): Promise<T> {
  const answer = await send("DELETE", path);
  return (await answer.json()) as T;
}

/** What went wrong, as a sentence. */
export function sentence(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
