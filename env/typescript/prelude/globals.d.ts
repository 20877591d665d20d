/**
 * What a Reeve program finds as globals, beside the language itself (ES2023:
 * Promise, Map, JSON, Intl where the engine has it, and so on).
 *
 * A program is one TypeScript file, the body of an async function: `await` and
 * `return` may stand at its top. It runs alone in a fresh process. It succeeds
 * when its end is reached and no timer or call is left; an error nobody catches,
 * a rejected promise nobody handles, or an `await` of something that never
 * settles makes it fail.
 *
 * Absent: files, network, environment variables, other programs, `import`,
 * `require`, `process`, `Buffer`, `fetch`, `WebAssembly`. Instead
 * - of fetch and of files: call a tool, `await reeve.services.NAME.tools.TOOL({...})`;
 * - of child_process: `await reeve.spawn({...})`;
 * - of process.on("SIGTERM"): `reeve.signal`;
 * - of Buffer: Uint8Array, TextEncoder, TextDecoder, atob, btoa;
 * - of process.stdout.write: console.log.
 */

/** A value that JSON can carry. */
type ReeveJSON = null | boolean | number | string | ReeveJSON[] | { [key: string]: ReeveJSON };

/** What a tool call is rejected with. */
interface ReeveError extends Error {
  /**
   * Why: "not_found" (no such service or tool), "invalid_params", "denied" (by
   * the policy or a person), "expired" (nobody decided in time), "unavailable",
   * "timeout", "failed" (the tool answered with an error), or a code of the
   * tool's own.
   */
  code?: string;
}

/** A tool. Calling it and calling its `invoke` are the same. */
interface ReeveTool<Params = any, Result = any> {
  (params?: Params): Promise<Result>;
  invoke(params?: Params): Promise<Result>;
}

/** The services of this host by name; GET /tools says which there are. */
interface ReeveServices {
  readonly [service: string]: { readonly tools: { readonly [tool: string]: any } };
}

/** A child to start: the body of POST /processes. */
interface ReeveSpawnRequest {
  /** What executes it; "typescript" if left out. */
  environment?: "typescript" | "command" | "agent" | (string & {});
  /** The program, the shell script, or the intent of an agent. */
  code?: string;
  /** For the environment "command": a program and its arguments, no shell. */
  command?: { program: string; args?: string[]; env?: Record<string, string>; cwd?: string; stdin?: string };
  label?: string;
  tags?: string[];
  ref?: string;
  options?: { timeout?: number | null; grace?: number; limits?: { memoryBytes?: number; cpuMs?: number; outputBytes?: number }; budget?: { tokens?: number; wallMs?: number; cpuMs?: number; children?: number; depth?: number; onExceeded?: "stop" | "ask" }; heartbeat?: number | null };
}

/** A child that has finished. */
interface ReeveEnded {
  id: number;
  exitState: "success" | "failed" | "timeout" | "canceled";
  /** Why it failed, else null. */
  error: string | null;
  exit: { code: number; reason: string; signal: string | null } | null;
  /** What it gave to reeve.output. */
  output: { [key: string]: any };
  /** At most the last 64 KiB. */
  stdout: string;
  stderr: string;
}

/** A child of this program. */
interface ReeveChild {
  readonly id: number;
  /** Waits until it has finished. A failed child does not reject: see exitState. */
  wait(): Promise<ReeveEnded>;
  /** Sends "SIGTERM", "SIGINT", "SIGPAUSE", "SIGRESUME" or "SIGKILL". */
  signal(name: "SIGTERM" | "SIGINT" | "SIGPAUSE" | "SIGRESUME" | "SIGKILL"): Promise<void>;
  /** Ends it and all below it. */
  kill(): Promise<void>;
}

/** The host of the program. Frozen; `cyrnel` is the same object. */
interface Reeve {
  /**
   * Adds to the structured output of the process. Calls merge key by key, later
   * values win. Only a plain object of JSON values is accepted.
   * @example reeve.output({ total: 42, items: ["a", "b"] })
   */
  output(data: { [key: string]: unknown }): void;
  /**
   * The tools of this host. Calls run side by side under Promise.all.
   * @example const page = await reeve.services.web.tools.get({ url: "https://example.com" })
   */
  readonly services: ReeveServices;
  /**
   * Starts a child process.
   * @example
   * const child = await reeve.spawn({ environment: "command", code: "echo hi" });
   * const { exitState, stdout } = await child.wait();
   */
  spawn(request: ReeveSpawnRequest): Promise<ReeveChild>;
  /**
   * Aborts when the process gets SIGTERM or SIGINT; its reason is a DOMException
   * with the signal's name as message. A program that has looked at it is given
   * time to end by itself; any other is ended at once.
   */
  readonly signal: AbortSignal;
  /** The id of this process. */
  readonly id: number;
  /** The number of this run, from 1. */
  readonly run: number;
}

declare const reeve: Reeve;
declare const cyrnel: Reeve;

/** Formats as Node's does. log, info, debug, dir, table, count, time and group go to stdout, the others to stderr. */
declare const console: {
  log(...data: any[]): void;
  info(...data: any[]): void;
  debug(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  assert(condition?: boolean, ...data: any[]): void;
  dir(value?: any, options?: { depth?: number | null; showHidden?: boolean; breakLength?: number; compact?: number | boolean; maxArrayLength?: number | null; maxStringLength?: number | null; sorted?: boolean }): void;
  dirxml(...data: any[]): void;
  table(data?: any, columns?: string[]): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeEnd(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
};

/** What setTimeout and setInterval return. It keeps the program alive unless unref'ed. */
interface Timeout {
  ref(): this;
  unref(): this;
  hasRef(): boolean;
  /** Starts the time anew. */
  refresh(): this;
  close(): this;
  [Symbol.toPrimitive](): number;
}
interface Immediate {
  ref(): this;
  unref(): this;
  hasRef(): boolean;
}

/** Delays are milliseconds, from 1 to 2147483647; anything else counts as 1. Time stands still while the process is paused. */
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): Timeout;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): Timeout;
declare function setImmediate<A extends any[]>(callback: (...args: A) => void, ...args: A): Immediate;
declare function clearTimeout(timer?: Timeout | number | string | null): void;
declare function clearInterval(timer?: Timeout | number | string | null): void;
declare function clearImmediate(immediate?: Immediate | null): void;
declare function queueMicrotask(callback: () => void): void;

/** A deep copy. Functions, symbols, promises and weak collections throw a DataCloneError. */
declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;
/** Text of Latin-1 characters to Base64. */
declare function btoa(data: string): string;
declare function atob(data: string): string;

declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  /** "utf-8" (default), "utf-16le" or "latin1", under any of their usual names. */
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}

declare class Crypto {
  private constructor();
  /** Fills an array of integers, at most 65536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): string;
}
declare const crypto: Crypto;

declare class Performance {
  private constructor();
  /** Milliseconds since the program began. */
  now(): number;
  readonly timeOrigin: number;
  toJSON(): { timeOrigin: number };
}
declare const performance: Performance;

/** The WHATWG URL. International host names are mapped by case and NFKC only, not by all of UTS #46. */
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}
declare class URLSearchParams {
  constructor(init?: string | URLSearchParams | Record<string, string> | Iterable<readonly [string, string]>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  toString(): string;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

declare class DOMException extends Error {
  constructor(message?: string, nameOrOptions?: string | { name?: string; cause?: unknown });
  readonly name: string;
  readonly code: number;
}
declare class Event {
  constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly eventPhase: number;
  readonly timeStamp: number;
  readonly isTrusted: boolean;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, init?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean; detail?: T });
  readonly detail: T;
}
type EventListener = ((event: any) => void) | { handleEvent(event: any): void };
declare class EventTarget {
  addEventListener(type: string, listener: EventListener | null, options?: boolean | { capture?: boolean; once?: boolean; passive?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: EventListener | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  private constructor();
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
  static abort(reason?: any): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
