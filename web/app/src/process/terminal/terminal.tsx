// A process's terminal, or a line of input for one that has none.
import type { ProcessRecord } from "../../api/types";
import { go, href } from "../../router";
import { Answer } from "../header/answer";
import { Output } from "../output/output";
import { Screen } from "./screen";

export function Terminal({ process: p }: { process: ProcessRecord }) {
  const leave = (): void => go(href(`processes/${p.id}/output`));
  if (!p.command?.pty) {
    return (
      <>
        <Output process={p} />
        {p.state !== "idle" && <Answer process={p} />}
      </>
    );
  }
  return <Screen key={p.run} process={p} onLeave={leave} />;
}
