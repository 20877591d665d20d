import { useEffect } from "preact/hooks";
import { KillQuestion } from "../actions";
import { loginNeeded } from "../api/session";
import { useKeys } from "../keys";
import { go, href } from "../router";
import { hide as hideFeed, link, start } from "../state/feed";
import { Asking } from "../ui/ask";
import { Toasts, undoLast } from "../ui/toast";
import { About } from "./about";
import { Header } from "./header";
import { Help } from "./help";
import { Login } from "./login";
import { Page } from "./page";
import { Palette } from "./palette";
import { hide, panel, show } from "./panels";
import { places } from "./places";
import { PruneQuestion } from "./prune";
import { nextTheme } from "./theme";
import "./title";

export function App() {
  useEffect(() => {
    const seen = (): void => hideFeed(document.hidden);
    seen();
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, []);
  return loginNeeded.value ? <Login onDone={start} /> : <Inside />;
}

function Inside() {
  const group = "Everywhere";
  useKeys([
    { keys: ["?"], label: "Show the keys", group, run: () => show("help") },
    { keys: ["Mod+k"], label: "Find a process, a place, an action", group, run: () => show("palette") },
    { keys: ["z"], label: "Undo", group, run: undoLast },
    { keys: ["T"], label: "Light, dark or as the system", group, run: nextTheme },
    ...places.map((p) => ({ keys: [`g ${p.key}`], label: `Go to ${p.name}`, group, run: () => go(href(p.path)) })),
  ]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
        Skip to the content
      </a>
      <Header />
      <Away />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      {panel.value === "help" && <Help onClose={hide} />}
      {panel.value === "about" && <About onClose={hide} />}
      {panel.value === "palette" && <Palette onClose={hide} />}
      <Asking />
      <KillQuestion />
      <PruneQuestion />
      <Toasts />
    </>
  );
}

/** Says that the daemon is away, until it is back. */
function Away() {
  if (link.value !== "away") return null;
  return (
    <div class="away" role="alert">
      The daemon is away. What you see may be old; trying again…
    </div>
  );
}
