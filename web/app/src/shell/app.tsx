import { useEffect, useState } from "preact/hooks";
import { KillQuestion } from "../actions";
import { loginNeeded, logOut, token } from "../api/session";
import { useKeys } from "../keys";
import { go, href, route } from "../router";
import { hide, link, overview, start } from "../state/feed";
import { Asking } from "../ui/ask";
import { Toasts } from "../ui/toast";
import { Help } from "./help";
import { Login } from "./login";
import { Page } from "./page";
import { nextTheme, theme } from "./theme";

const places = [
  { path: "processes", name: "Processes", key: "p" },
  { path: "tree", name: "Tree", key: "t" },
  { path: "approvals", name: "Approvals", key: "a" },
  { path: "supervisors", name: "Supervisors", key: "s" },
  { path: "tools", name: "Tools", key: "o" },
  { path: "new", name: "New", key: "n" },
];

export function App() {
  const [help, setHelp] = useState(false);
  useEffect(() => {
    start();
    const seen = (): void => hide(document.hidden);
    document.addEventListener("visibilitychange", seen);
    return () => document.removeEventListener("visibilitychange", seen);
  }, []);
  useKeys([
    { keys: ["?"], label: "Show the keys", group: "Everywhere", run: () => setHelp(true) },
    { keys: ["T"], label: "Light, dark or as the system", group: "Everywhere", run: nextTheme },
    ...places.map((p) => ({ keys: [`g ${p.key}`], label: `Go to ${p.name}`, group: "Everywhere", run: () => go(href(p.path)) })),
  ]);
  if (loginNeeded.value) return <Login onDone={start} />;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
        Skip to the content
      </a>
      <Header onHelp={() => setHelp(true)} />
      <Away />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
      <Asking />
      <KillQuestion />
      <Toasts />
    </>
  );
}

function Header({ onHelp }: { onHelp: () => void }) {
  const here = route.value.path[0] ?? "processes";
  const waiting = overview.value?.approvals ?? 0;
  return (
    <header class="top">
      <a class="brand" href={href("processes")}>
        Reeve
      </a>
      <nav aria-label="Places">
        {places.map((p) => (
          <a key={p.path} href={href(p.path)} aria-current={here === p.path ? "page" : undefined}>
            {p.name}
            {p.path === "approvals" && waiting > 0 && <span class="count">{waiting}</span>}
          </a>
        ))}
      </nav>
      <div class="tools">
        <button type="button" class="plain" onClick={nextTheme} aria-label={`Colours: ${theme.value}`} title={`Colours: ${theme.value}`}>
          ◐
        </button>
        <button type="button" class="plain" onClick={onHelp} aria-label="Keys" title="Keys (?)">
          ?
        </button>
        {token.value && (
          <button type="button" class="plain" onClick={() => (logOut(), location.reload())}>
            Log out
          </button>
        )}
      </div>
    </header>
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
