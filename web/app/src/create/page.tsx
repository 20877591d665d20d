import { useEffect, useState } from "preact/hooks";
import { one } from "../api/processes";
import { environments } from "../api/tools";
import { useKeys } from "../keys";
import { go, href, replace, route } from "../router";
import { complain, tell } from "../ui/toast";
import { Docs } from "./docs";
import { load, save } from "./draft";
import { ProcessForm } from "./form";
import { isKind, kinds, type Kind } from "./kinds";
import { likeness } from "./like";
import { SupervisorForm } from "./supervisor";

/** Makes a new process, of any kind. */
export function CreatePage() {
  const asked = route.value.query.get("kind");
  const kind: Kind = isKind(asked) ? asked : "typescript";
  const filled = useLikeness(route.value.query.get("like"));
  useKeys(
    kinds.map((k, i) => ({ keys: [String(i + 1)], label: `New: ${k.name}`, group: "New process", run: () => go(href("new", { kind: k.kind })) })),
  );
  return (
    <div class="create">
      <header class="create-head">
        <h1>New process</h1>
        <nav class="kinds" aria-label="Kind of process">
          {kinds.map((k) => (
            <a key={k.kind} href={href("new", { kind: k.kind })} aria-current={k.kind === kind ? "page" : undefined}>
              {k.name}
            </a>
          ))}
        </nav>
      </header>
      <div class="create-body">
        <div class="create-form">
          <p class="quiet what">{kinds.find((k) => k.kind === kind)!.what}</p>
          <Missing kind={kind} />
          {filled && <p class="notice">{filled}</p>}
          {kind === "supervisor" ? <SupervisorForm key={`supervisor ${filled}`} /> : <ProcessForm key={`${kind} ${filled}`} kind={kind} />}
        </div>
        <Docs key={kind} environment={kind} />
      </div>
    </div>
  );
}

/** Fills the form in like a process, and says what could not be. */
function useLikeness(like: string | null): string {
  const [note, setNote] = useState("");
  useEffect(() => {
    if (!like) return;
    one(Number(like)).then((p) => {
      const { kind, values, missing } = likeness(p);
      const before = load(kind);
      save(kind, values);
      setNote(`Filled in like process ${p.id}.` + (missing.length > 0 ? ` Type again: ${missing.join("; ")}. The daemon does not show them.` : ""));
      replace(href("new", { kind }));
      if (Object.keys(before).length > 0) {
        tell("Your draft was replaced.", () => {
          save(kind, before);
          setNote(" ");
        });
      }
    }, complain);
  }, [like]);
  return note;
}

/** Says that the daemon cannot run this kind. */
function Missing({ kind }: { kind: Kind }) {
  const [known, setKnown] = useState<string[] | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    environments(gone.signal).then((all) => setKnown(all.map((e) => e.name)), () => {});
    return () => gone.abort();
  }, []);
  if (!known || known.includes(kind)) return null;
  return <p class="notice warn">This daemon has no environment {kind}: it was built or set up without it.</p>;
}
