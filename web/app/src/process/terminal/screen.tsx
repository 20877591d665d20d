import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Xterm } from "@xterm/xterm";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api/http";
import type { ProcessRecord } from "../../api/types";
import { theme } from "../../shell/theme";
import { coloursOf } from "./colours";
import { Keyboard } from "./keyboard";
import { watch } from "./watch";

interface Props {
  process: ProcessRecord;
  onLeave: () => void;
}

/** The screen: what the process shows, and the keys that go to it. Ctrl-] leaves. */
export function Screen({ process: p, onLeave }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Xterm | null>(null);
  const [note, setNote] = useState("");
  const running = p.state !== "idle";
  const live = useRef(running);
  live.current = running;
  useEffect(() => {
    const term = new Xterm({ fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", fontSize: 13, scrollback: 5000, theme: coloursOf(), minimumContrastRatio: 4.5, screenReaderMode: true });
    const fit = new FitAddon();
    term.loadAddon(fit);
    term.open(box.current!);
    screen.current = term;
    const stop = new AbortController();
    const keyboard = new Keyboard(p.id, setNote);
    // What the program asked a terminal before this one was there has long been
    // answered: an answer now would be taken for keys.
    let past = p.stdoutBytes;
    const patience = setTimeout(() => (past = 0), 2000); // not all of it may be kept
    let shown = 0;
    const type = (keys: string): void => void (live.current && shown >= past && keyboard.type(keys));
    term.onData(type);
    term.onBinary(type);
    const show = async (bytes: Uint8Array, offset: number): Promise<void> => {
      await new Promise<void>((done) => term.write(bytes, done));
      shown = offset + bytes.length;
    };
    term.attachCustomKeyEventHandler((e) => {
      if (!(e.ctrlKey && (e.key === "]" || e.code === "BracketRight"))) return true;
      if (e.type === "keydown") onLeave();
      return false;
    });
    const resize = (): void => {
      fit.fit();
      if (live.current) void post(`/processes/${p.id}/resize`, { rows: term.rows, cols: term.cols }).catch(() => {}); // it may just have ended
    };
    let timer = 0;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = window.setTimeout(resize, 100);
    });
    observer.observe(box.current!);
    void watch(`/processes/${p.id}/runs/${p.run}/stdout`, stop.signal, show, setNote);
    term.focus();
    return () => {
      clearTimeout(timer);
      clearTimeout(patience);
      stop.abort();
      observer.disconnect();
      term.dispose();
    };
  }, [p.id, p.run]);
  useEffect(() => {
    if (screen.current) screen.current.options.theme = coloursOf();
  }, [theme.value]);
  return (
    <section class="terminal" aria-label="Terminal">
      <div class="tools-line">
        <button type="button" onClick={onLeave}>
          Leave (Ctrl-])
        </button>
        <span class="quiet" role="status">
          {note || (running ? "Keys go to the process." : "The process has ended.")}
        </span>
      </div>
      <div class="screen" ref={box} />
    </section>
  );
}
