import { useEffect, useRef, useState } from "preact/hooks";
import { services, tools, type Service, type Tool } from "../api/tools";
import { plural } from "../format";
import { useKeys } from "../keys";
import { href, replace, route } from "../router";
import { complain } from "../ui/toast";
import { Environments } from "./environments";
import { ToolRow } from "./tool";

/** What programs and agents can call, and what can be run at all. */
export function ToolsPage() {
  const query = route.value.query.get("query") ?? "";
  const open = route.value.query.get("tool") ?? "";
  const field = useRef<HTMLInputElement>(null);
  const found = useTools(query);
  useKeys([{ keys: ["/"], label: "Search the tools", group: "Tools", run: () => field.current?.focus() }]);
  return (
    <div class="tools-page">
      <h1>Tools</h1>
      <Services />
      <div class="searching">
        <label>
          Search
          <input ref={field} type="search" placeholder="Words of a service, a name or a description" value={query} onInput={(e) => replace(href("tools", { query: e.currentTarget.value }))} />
        </label>
        <span class="quiet" role="status">
          {found ? plural(found.length, "tool", "tools") : "Loading…"}
        </span>
      </div>
      {found && found.length > 0 && (
        <ul class="tool-list">
          {found.map((t) => (
            <ToolRow key={`${t.service}/${t.name}`} tool={t} open={open === `${t.service}/${t.name}`} onOpen={() => replace(href("tools", { query, tool: `${t.service}/${t.name}` }))} />
          ))}
        </ul>
      )}
      {found?.length === 0 && <p class="quiet">{query ? "No tool is like that." : "There is no tool. A tool file names services: reeve serve --tools tools.yaml."}</p>}
      <Environments />
    </div>
  );
}

// The daemon searches; of several questions only the last is waited for.
function useTools(query: string): Tool[] | null {
  const [found, setFound] = useState<Tool[] | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const timer = setTimeout(() => tools(query, gone.signal).then(setFound, (e) => !gone.signal.aborted && complain(e)), found ? 120 : 0);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [query]);
  return found;
}

function Services() {
  const [all, setAll] = useState<Service[]>([]);
  useEffect(() => {
    const gone = new AbortController();
    services(gone.signal).then(setAll, () => {}); // the search complains
    return () => gone.abort();
  }, []);
  return (
    <ul class="cards" aria-label="Services">
      {all.map((s) => (
        <li class="card" key={s.name}>
          <header>
            <h2 class="mono">{s.name}</h2>
            <span class="quiet">{s.adapter}</span>
            <span class={`badge ${s.state}`}>
              <span aria-hidden="true">{s.state === "ready" ? "✓" : "✗"}</span> {s.state}
            </span>
          </header>
          <p>{s.description}</p>
          {s.error && <p class="error">{s.error}</p>}
          <p class="quiet">
            <a href={href("tools", { query: s.name })}>{plural(s.tools, "tool", "tools")}</a>
          </p>
        </li>
      ))}
    </ul>
  );
}
