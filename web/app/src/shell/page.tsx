import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ListPage } from "../list/page";
import { ProcessPage } from "../process/page";
import { route } from "../router";

type Loader = () => Promise<ComponentType>;

// Pages that few need at once are fetched when they are first gone to.
const later = new Map<string, Loader>([
  ["tree", async () => (await import("../tree/page")).TreePage],
  ["new", async () => (await import("../create/page")).CreatePage],
  ["approvals", async () => (await import("../approvals/page")).ApprovalsPage],
  ["supervisors", async () => (await import("../supervisors/page")).SupervisorsPage],
  ["tools", async () => (await import("../tools/page")).ToolsPage],
]);

/** The page of where a person is. */
export function Page() {
  const [place = "processes", id] = route.value.path;
  if (place === "processes") return id ? <ProcessPage key={id} id={Number(id)} /> : <ListPage />;
  const load = later.get(place);
  return load ? <Later key={place} load={load} /> : <Missing />;
}

function Later({ load }: { load: Loader }) {
  const [Loaded, setLoaded] = useState<ComponentType | null>(null);
  useEffect(() => {
    let gone = false;
    void load().then((c) => !gone && setLoaded(() => c));
    return () => {
      gone = true;
    };
  }, []);
  return Loaded ? <Loaded /> : <p class="quiet">Loading…</p>;
}

function Missing() {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <a href="#/processes">See all processes</a>
      </p>
    </div>
  );
}
