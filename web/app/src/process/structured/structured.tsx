// Structured output as a tree.
import type { ProcessRecord } from "../../api/types";
import { copy } from "../copy";
import { Json } from "./json";

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
        {Object.entries(output).map(([name, value]) => (
          <Json key={name} name={name} path={step("", name)} value={value} open />
        ))}
      </div>
    </section>
  );
}

/** A path one step further, as JavaScript has it. */
export function step(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return path ? `${path}.${name}` : name;
  return `${path}[${JSON.stringify(name)}]`;
}
