import { useEffect, useState } from "preact/hooks";
import { sentence } from "../api/http";
import { docsOf, environments } from "../api/tools";
import type { Environment } from "../api/types";
import { isKind } from "../create/kinds";
import { duration } from "../format";
import { href } from "../router";
import { overview } from "../state/feed";
import { Dialog } from "../ui/dialog";
import { Markdown } from "../ui/markdown";

/** What the daemon can run, and how much of it at a time. */
export function Environments() {
  const [all, setAll] = useState<Environment[]>([]);
  const [guide, setGuide] = useState("");
  useEffect(() => {
    const gone = new AbortController();
    environments(gone.signal).then(setAll, () => {}); // the search complains
    return () => gone.abort();
  }, []);
  return (
    <section aria-labelledby="environments" class="tools-page">
      <h2 id="environments">Environments</h2>
      <ul class="cards">
        {all.map((e) => (
          <li class="card" key={e.name}>
            <header>
              <h3 class="mono">{e.name}</h3>
              {e.default && <span class="quiet">the default</span>}
            </header>
            <p class="quiet">
              {e.slots === null ? "Any number at a time" : `${e.slots} at a time`}; {e.defaultTimeoutMs === null ? "no timeout unless one is set" : `timeout ${duration(e.defaultTimeoutMs)} unless set`}.
              {overview.value && ` ${overview.value.environments[e.name] ?? 0} processes so far.`}
            </p>
            <p class="buttons">
              <button type="button" onClick={() => setGuide(e.name)}>
                Guide
              </button>
              {isKind(e.name) && (
                <a class="button" href={href("new", { kind: e.name })} aria-label={`New ${e.name} process`}>
                  New
                </a>
              )}
            </p>
          </li>
        ))}
      </ul>
      {guide && <Guide name={guide} onClose={() => setGuide("")} />}
    </section>
  );
}

function Guide({ name, onClose }: { name: string; onClose: () => void }) {
  const [text, setText] = useState("Loading…");
  useEffect(() => {
    const gone = new AbortController();
    docsOf(name, gone.signal).then(setText, (e) => !gone.signal.aborted && setText(sentence(e)));
    return () => gone.abort();
  }, []);
  return (
    <Dialog title={`Guide to ${name}`} onClose={onClose} wide>
      <Markdown text={text} />
    </Dialog>
  );
}
