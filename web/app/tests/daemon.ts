// A real daemon for a test, with folders of its own, and the page open on it.
import { test as base, expect, type Page } from "@playwright/test";
import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What tests look at in a record. */
export interface Record {
  id: number;
  state: string;
  exitState: string | null;
  paused: boolean;
  run: number;
}

export class Daemon {
  readonly data = mkdtempSync(join(tmpdir(), "reeve-web-"));
  url = "";
  env: { [name: string]: string } = {}; // beside its own, when it is started next
  private child: ChildProcess | null = null;
  private log = "";

  /** Starts it; again at the same address, if it ran before. */
  async start(...flags: string[]): Promise<void> {
    const listen = this.url ? new URL(this.url).host : "127.0.0.1:0";
    rmSync(join(this.data, "address"), { force: true });
    const child = spawn(process.env.REEVE_BIN!, ["serve", "--stop-jobs", "--listen", listen, "--data", this.data, ...flags], {
      env: { PATH: process.env.PATH, HOME: this.data, TMPDIR: this.data, ...this.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    child.stdout!.on("data", (b) => (this.log += b));
    child.stderr!.on("data", (b) => (this.log += b));
    await expect.poll(() => this.answers(), { timeout: 20_000, message: () => this.log } as never).toBe(true);
  }

  private async answers(): Promise<boolean> {
    try {
      const address = readFileSync(join(this.data, "address"), "utf8").trim();
      this.url = address.startsWith("http") ? address : `http://${address}`;
      return (await fetch(`${this.url}/health`)).ok;
    } catch {
      return false;
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const over = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await over;
  }

  /** Ends it as a crash would. */
  crash(): Promise<void> {
    return this.end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.end("SIGTERM");
  }

  async close(): Promise<void> {
    if (!this.child) await this.start(); // takes up what a crash left, and ends it
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }

  /** The command line, on this daemon. */
  cli(...args: string[]): string {
    return execFileSync(process.env.REEVE_BIN!, args, { env: { PATH: process.env.PATH, HOME: this.data, REEVE_DATA: this.data }, encoding: "utf8" });
  }

  async request<T = { [field: string]: unknown }>(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** The record of a process. */
  record(id: number): Promise<Record> {
    return this.request("GET", `/processes/${id}`);
  }

  /** Waits until a process is as expected. */
  async until(id: number, expected: Partial<Record>): Promise<void> {
    await expect.poll(() => this.record(id)).toMatchObject(expected);
  }

  /** Creates processes that have not run, fast. */
  async many(count: number, body: (i: number) => object): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const one = (i: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const text = JSON.stringify({ environment: "command", code: "true", autorun: false, ...body(i) });
        const r = request(`${this.url}/processes`, { method: "POST", agent, headers: { "Content-Type": "application/json" } }, (answer) => {
          answer.resume().on("end", () => (answer.statusCode === 201 ? resolve() : reject(new Error(`created: ${answer.statusCode}`))));
        });
        r.on("error", reject).end(text);
      });
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < count; i = next++) await one(i);
    };
    await Promise.all(Array.from({ length: 64 }, worker));
    agent.destroy();
  }

  /** Creates a command by the shell and returns its id. */
  async shell(script: string, more: object = {}): Promise<number> {
    const record = await this.request<{ id: number }>("POST", "/processes", { environment: "command", code: script, ...more });
    return record.id;
  }
}

interface Fixtures {
  daemon: Daemon;
  open: (hash?: string) => Promise<Page>;
}

/** A test with a daemon, and open to look at a place of its dashboard. */
export const test = base.extend<Fixtures>({
  daemon: async ({}, use) => {
    const daemon = new Daemon();
    await daemon.start();
    await use(daemon);
    await daemon.close();
  },
  open: async ({ daemon, page }, use) => {
    const problems: string[] = [];
    page.on("pageerror", (e) => problems.push(`error: ${e.message}`));
    page.on("request", (r) => {
      if (!r.url().startsWith(daemon.url) && !/^(data|blob):/.test(r.url())) problems.push(`asked elsewhere: ${r.url()}`);
    });
    page.on("console", (m) => {
      if (m.type() === "error" && /Content Security Policy|Refused to/.test(m.text())) problems.push(m.text());
    });
    await use(async (hash = "") => {
      await page.goto(daemon.url + "/" + hash);
      return page;
    });
    expect(problems).toEqual([]);
  },
});

export { expect };
