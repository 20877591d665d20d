import { useEffect, useRef } from "preact/hooks";
import type { Hits } from "./client";
import type { Query } from "./protocol";

interface Props {
  query: Query;
  hits: Hits | null;
  at: number; // which hit a person is at; 0: none
  onQuery: (q: Query) => void;
  onStep: (back: boolean) => void;
  onClose: () => void;
}

export function SearchBar({ query, hits, at, onQuery, onStep, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <div class="search" role="search">
      <input
        ref={input}
        type="search"
        aria-label="Search the output"
        placeholder={query.regex ? "Regular expression" : "Search all lines"}
        value={query.text}
        autofocus
        onInput={(e) => onQuery({ ...query, text: e.currentTarget.value })}
        onKeyDown={(e) => {
          if (e.key === "Enter") onStep(e.shiftKey);
          if (e.key === "Escape") onClose();
        }}
      />
      <button type="button" aria-pressed={query.matchCase} title="Match case" aria-label="Match case" onClick={() => onQuery({ ...query, matchCase: !query.matchCase })}>
        Aa
      </button>
      <button type="button" aria-pressed={query.regex} title="Regular expression" aria-label="Regular expression" onClick={() => onQuery({ ...query, regex: !query.regex })}>
        .*
      </button>
      <span class="hits" role="status">
        {query.text ? said(hits, at) : ""}
      </span>
      <button type="button" class="plain" aria-label="Previous hit" title="Previous hit (N)" disabled={!hits?.count} onClick={() => onStep(true)}>
        ↑
      </button>
      <button type="button" class="plain" aria-label="Next hit" title="Next hit (n)" disabled={!hits?.count} onClick={() => onStep(false)}>
        ↓
      </button>
      <button type="button" class="plain" aria-label="Close the search" onClick={onClose}>
        ✕
      </button>
    </div>
  );
}

function said(hits: Hits | null, at: number): string {
  if (!hits) return "";
  if (hits.problem) return hits.problem;
  const lines = `${hits.count} ${hits.count === 1 ? "line" : "lines"}`;
  if (!hits.over) return `${lines}, searching…`;
  return at > 0 ? `${at} of ${lines}` : lines;
}
