// Structured output as a tree.
import type { ProcessRecord } from "../../api/types";
import { copy } from "../copy";
import { Members } from "./json";

export function Structured({ process: p }: { process: ProcessRecord }) {
  const output = p.output ?? {};
  if (Object.keys(output).length === 0) return <p class="nothing-here">No structured output. Programs emit it with reeve.output({"{…}"}).</p>;
  return (
    <section class="structured" aria-label="Structured output">
      <div class="tools-line">
        <button type="button" onClick={() => copy(JSON.stringify(output, null, 2), "All of it")}>
          Copy all
        </button>
      </div>
      <div class="tree-json">
        <Members of={output} path="" open />
      </div>
    </section>
  );
}
