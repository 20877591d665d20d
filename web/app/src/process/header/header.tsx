import { Actions } from "../../actions";
import type { ProcessRecord } from "../../api/types";
import { plainly, title } from "../../format";
import { go, href } from "../../router";
import { Badge } from "../../ui/badge";
import { Facts } from "./facts";
import { Notified } from "./notified";
import { copy } from "../copy";

export function Header({ process: p, at }: { process: ProcessRecord; at: number }) {
  const name = title(p);
  return (
    <header class="process-head">
      <div class="process-title">
        <h1 title={name}>{name}</h1>
        <Badge process={p} />
        <span class="grow" />
        <Actions process={p} more={[{ name: "New like this", run: () => go(href("new", { like: p.id })) }, { name: "Copy the id", run: () => copy(String(p.id), "The id") }]} />
      </div>
      <div class="process-meta">
        <span>
          Process <b>{p.id}</b>
        </span>
        {p.ref && (
          <span>
            ref <b>{plainly(p.ref)}</b>
          </span>
        )}
        {p.parent !== null && (
          <span>
            child of <a href={href(`processes/${p.parent}`)}>{p.parent}</a>
          </span>
        )}
        <span>{p.environment}</span>
        {p.tags.map((t) => (
          <a key={t} class="process-tag" href={href("processes", { tag: t })}>
            {plainly(t)}
          </a>
        ))}
        <span title={p.createdAt}>created {new Date(p.createdAt).toLocaleString()}</span>
      </div>
      <Facts process={p} at={at} />
      {p.error && p.error !== `exit status ${p.exit?.code}` && (
        <p class="process-error">
          <span aria-hidden="true">✗</span> {p.error}
        </p>
      )}
      {p.outcome?.summary && <p class="process-summary"><span class="quiet">Summary</span> {p.outcome.summary}</p>}
      {p.notify && <Notified process={p} />}
    </header>
  );
}
