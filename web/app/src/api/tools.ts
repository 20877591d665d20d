// The calls about tools, approvals, supervisors and environments.
import { get, getText, post, remove, send } from "./http";
import type { Approval, Environment, ExitState, ProcessRecord, State } from "./types";

export interface Service {
  name: string;
  description: string;
  adapter: string;
  state: "ready" | "unavailable";
  error: string | null;
  tools: number;
}

export interface Tool {
  service: string;
  name: string;
  description: string;
  params: unknown; // JSON Schema
  result: unknown;
  permission: "allow" | "deny" | "ask";
  declaration: string;
}

export const services = async (signal?: AbortSignal): Promise<Service[]> => (await get<{ services: Service[] }>("/services", {}, signal)).services;

export const tools = async (query = "", signal?: AbortSignal): Promise<Tool[]> => (await get<{ tools: Tool[] }>("/tools", { query }, signal)).tools;

export const environments = async (signal?: AbortSignal): Promise<Environment[]> =>
  (await get<{ environments: Environment[] }>("/environments", {}, signal)).environments;

export const docsOf = (environment: string, signal?: AbortSignal): Promise<string> =>
  getText(`/environments/${encodeURIComponent(environment)}/docs`, {}, signal);

export interface Approvals {
  approvals: Approval[];
  nextCursor: string | null;
}

export const approvals = async (state: string, limit: number, cursor?: string, signal?: AbortSignal): Promise<Approvals> =>
  JSON.parse(await getText("/approvals", { state, limit, cursor }, signal), exact as Reviver) as Approvals;

type Reviver = (key: string, value: unknown) => unknown;

const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

// exact keeps numbers that JavaScript would round as they were written: a person
// decides about what is really sent.
function exact(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || !source || !rawJSON) return value;
  return Number.isSafeInteger(value) || /^-?\d{1,15}(\.\d{1,15})?$/.test(source) ? value : rawJSON(source);
}

/** Decides about a call; the token, if one is given, speaks instead of the session's. */
export const decide = (id: number, verdict: "approve" | "deny", reason: string, token = ""): Promise<Approval> =>
  post(`/approvals/${id}/${verdict}`, reason ? { reason } : {}, token ? { Authorization: `Bearer ${token}` } : {});

export interface Child {
  name: string;
  restart: string;
  process: number | null;
  state: State | null;
  exitState: ExitState | null;
  restarts: number;
  run: number;
}

export interface Supervisor {
  id: number;
  name: string;
  strategy: string;
  maxRestarts: number;
  windowMs: number;
  process: ProcessRecord;
  children: Child[];
}

export const supervisors = (cursor?: string, signal?: AbortSignal): Promise<{ supervisors: Supervisor[]; nextCursor: string | null }> =>
  get("/supervisors", { limit: 100, cursor }, signal);

export async function supervise(yaml: string, key: string): Promise<Supervisor> {
  const answer = await send("POST", "/supervisors", { body: yaml, headers: { "Content-Type": "application/yaml", "Idempotency-Key": key } });
  return (await answer.json()) as Supervisor;
}

/** Ends a supervisor with all below it, or deletes an idle one. */
export const endSupervisor = (id: number): Promise<Supervisor> => remove(`/supervisors/${id}`);
