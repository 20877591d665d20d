import { useActionKeys } from "../actions";
import { title } from "../format";
import { useKeys } from "../keys";
import { go, href, route } from "../router";
import { useTitle } from "../shell/title";
import { Answer } from "./header/answer";
import { Header } from "./header/header";
import { useTakesInput } from "./header/input";
import { Output } from "./output/output";
import { Tabs, tabsOf } from "./tabs";
import { Later } from "./later";
import { useProcess } from "./use";

/** One process: what it is, how it is, and everything about it in tabs. */
export function ProcessPage({ id }: { id: number }) {
  const { record: p, at, problem } = useProcess(id);
  const takesInput = useTakesInput(p);
  const tabs = p ? tabsOf(p, takesInput) : [];
  const here = route.value.path[2] ?? "output";
  useTitle(p ? `${id} ${title(p)}` : `Process ${id}`);
  useActionKeys(
    () => (p ? [p] : []),
    () => go(href("processes")),
  );
  const step = (by: number): void => {
    const i = tabs.findIndex((t) => t.path === here);
    const to = tabs[(i + by + tabs.length) % tabs.length];
    if (to) go(href(`processes/${id}/${to.path}`));
  };
  useKeys([
    { keys: ["]"], label: "Next tab", group: "Process", run: () => step(1) },
    { keys: ["["], label: "Previous tab", group: "Process", run: () => step(-1) },
    { keys: ["u"], label: "Back to all processes", group: "Process", run: () => go(href("processes")) },
    { keys: ["o"], label: "Output", group: "Process", run: () => go(href(`processes/${id}/output`)) },
  ]);
  if (!Number.isInteger(id) || id < 1) return <Problem text="This is not the number of a process." />;
  if (!p) return problem ? <Problem text={problem} /> : <p class="quiet">Loading…</p>;
  const known = tabs.some((t) => t.path === here);
  return (
    <article class="process">
      <Header process={p} at={at} />
      <Tabs id={id} tabs={tabs} here={here} />
      {here === "output" ? <Output process={p} /> : known ? <Later key={here} tab={here} process={p} /> : <Problem text="There is nothing of this name here." />}
      {here === "output" && takesInput && <Answer process={p} />}
    </article>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <div class="empty">
      <p>{text}</p>
      <p>
        <a href={href("processes")}>See all processes</a>
      </p>
    </div>
  );
}
