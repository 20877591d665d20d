// What is run, and with which options.
import type { ComponentChildren } from "preact";
import type { Command, ProcessRecord } from "../../api/types";
import { quote } from "../../format";
import { href } from "../../router";
import { copy } from "../copy";

export function Code({ process: p }: { process: ProcessRecord }) {
  const line = p.command ? [p.command.program, ...p.command.args].map(quote).join(" ") : (p.code ?? "");
  return (
    <section class="code" aria-label="What is run">
      <div class="tools-line">
        <button type="button" onClick={() => copy(line, p.command ? "The command line" : "The code")}>
          Copy
        </button>
        <a class="button" href={href("new", { like: p.id })}>
          New like this
        </a>
      </div>
      {p.command ? <pre class="source">{line}</pre> : <Source text={line} />}
      <dl class="properties">
        {p.command ? <CommandDetails command={p.command} /> : null}
        <Property name="Environment">{p.environment}</Property>
        <Property name="Interpreter">{p.interpreter}</Property>
        <Property name="Output is">{p.rawOutput === "disabled" ? "not kept" : `kept: ${p.rawOutput}`}</Property>
        <Property name="Priority">{p.priority}</Property>
        <Property name="Options">
          <pre>{JSON.stringify(p.options, null, 2)}</pre>
        </Property>
      </dl>
    </section>
  );
}

function CommandDetails({ command: c }: { command: Command }) {
  const names = Object.keys(c.env);
  return (
    <>
      <Property name="Program">
        <code>{c.program}</code>
      </Property>
      <Property name="Arguments">
        {c.args.length === 0 ? "none" : c.args.map((a, i) => <code key={i} class="arg">{a}</code>)}
      </Property>
      <Property name="Folder">
        <code>{c.cwd ?? "the daemon's"}</code>
      </Property>
      <Property name="Variables">
        {names.length === 0 ? "none of its own" : names.map((n) => <code key={n} class="arg">{`${n}=${c.env[n]}`}</code>)}
        {c.envClear && " (and no others)"}
      </Property>
      <Property name="Terminal">{c.pty ? "yes" : "no"}</Property>
      {c.mergeStreams && <Property name="Streams">merged into stdout</Property>}
      <Property name="Succeeds with">{c.successCodes.join(", ")}</Property>
      <Property name="Leftovers">{c.leftovers === "wait" ? "are waited for" : "are killed"}</Property>
    </>
  );
}

function Property({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Source({ text }: { text: string }) {
  const lines = text.split("\n");
  return (
    <div class="source numbered" tabIndex={0} role="region" aria-label="Code">
      <pre class="numbers" aria-hidden="true">
        {lines.map((_, i) => i + 1).join("\n")}
      </pre>
      <pre>{text}</pre>
    </div>
  );
}
