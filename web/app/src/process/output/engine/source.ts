// Where events come from: pages of the API.
import type { ProcessEvent, ProcessRecord } from "../../../api/types";

export interface Page {
  events: ProcessEvent[];
  next: number;
  last: number; // the newest seq
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const lineKinds = "output_appended,output_elided";
export const pageSize = 1000;

const pauses = [200, 500, 1000, 2000];

export class Source {
  constructor(
    readonly path: string,
    readonly headers: Record<string, string>,
    private signal: AbortSignal,
  ) {}

  /** A page of events. A daemon that is away is waited for. */
  async page(query: string): Promise<Page> {
    for (let failures = 0; ; failures++) {
      this.signal.throwIfAborted();
      const answer = await fetch(`${this.path}/events?${query}`, { headers: this.headers, signal: this.signal }).catch(() => null);
      if (answer?.ok) return (await answer.json()) as Page;
      if (answer && answer.status < 500 && answer.status !== 429) throw await refusal(answer);
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
    }
  }

  async record(): Promise<ProcessRecord> {
    const answer = await fetch(this.path, { headers: this.headers, signal: this.signal });
    if (!answer.ok) throw await refusal(answer);
    return (await answer.json()) as ProcessRecord;
  }
}

async function refusal(answer: Response): Promise<Refused> {
  const body = (await answer.json().catch(() => ({}))) as { error?: string };
  return new Refused(answer.status, body.error ?? `The daemon answered ${answer.status}.`);
}
