// What the page and its worker say to each other.
import type { Link } from "../../api/stream";

export interface Line {
  seq: number;
  run: number;
  stream: string;
  text: string;
  partial: boolean;
}

export type Incoming = { kind: "follow"; path: string; after: string; headers: Record<string, string> } | { kind: "stop" };

export type Outgoing = { kind: "lines"; lines: Line[] } | { kind: "link"; link: Link };
