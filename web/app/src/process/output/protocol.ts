// What the page and its worker say to each other about output. The worker holds
// the lines; the page is told how many rows there are and asks for those in
// sight, so its work does not grow with what a process prints.
import type { Link } from "../../api/stream";

export type Stream = "stdout" | "stderr";

/** A part of a line that looks alike. */
export interface Span {
  to: number; // where it ends
  names: string; // CSS classes
  css: string; // colours that have no class
}

export interface LineRow {
  kind: "line";
  seq: number;
  run: number;
  line: number; // counted from 1 in each run; 0: not complete yet
  stream: Stream;
  at: string;
  text: string; // without control sequences
  spans: Span[] | null; // null: plain
  hits: number[]; // pairs of from and to
  error: boolean;
  partial: boolean;
  more: number; // characters that were left out of a very long line
}

export interface ElidedRow {
  kind: "elided";
  seq: number;
  run: number;
  lines: number;
  bytes: number; // 0: not known
  stream: string;
}

export interface RunRow {
  kind: "run";
  seq: number;
  run: number;
  at: string;
}

export type Row = LineRow | ElidedRow | RunRow;

export interface Shown {
  stdout: boolean;
  stderr: boolean;
}

export interface Query {
  text: string;
  regex: boolean;
  matchCase: boolean;
}

export type Target = "hit" | "error";

/** What the page wants to see: rows, or the last ones whatever their number. */
export type Window = { from: number; to: number } | { tail: number };

export type ToWorker =
  | { kind: "open"; path: string; headers: Record<string, string>; run: number | null; shown: Shown }
  | { kind: "go on" } // there is, or will be, a new run; or it is looked at again
  | { kind: "rest" } // nobody looks
  | { kind: "window"; window: Window; anchor: number }
  | { kind: "scope"; run: number | null }
  | { kind: "show"; shown: Shown }
  | { kind: "search"; query: Query | null }
  | { kind: "step"; target: Target; from: number; back: boolean }
  | { kind: "line"; run: number; line: number }
  | { kind: "whole line"; seq: number }
  | { kind: "text"; run: number | null; stream: Stream | null }
  | { kind: "diff"; ticket: number; a: string; b: string };

export interface DiffPart {
  kind: "same" | "added" | "removed";
  lines: string[];
}

export type FromWorker =
  | { kind: "rows"; epoch: number; total: number; from: number; rows: (Row | null)[]; anchor: number; runs: number }
  | { kind: "ready" }
  | { kind: "link"; link: Link; status: number }
  | { kind: "refused"; status: number; message: string }
  | { kind: "reading"; done: number; of: number } // of 0: it is over
  | { kind: "hits"; count: number; over: boolean; problem: string }
  | { kind: "found"; target: Target | "line"; row: number; seq: number; index: number; of: number } // row -1: none
  | { kind: "whole line"; seq: number; text: string }
  | { kind: "text"; blob: Blob }
  | { kind: "diff"; ticket: number; parts: DiffPart[] | null };
