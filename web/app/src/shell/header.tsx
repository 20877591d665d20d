import { logOut, token } from "../api/session";
import { go, href, route } from "../router";
import { overview } from "../state/feed";
import { phone } from "../ui/media";
import { Menu, type Item } from "../ui/menu";
import { places } from "./places";
import { show } from "./panels";
import { prune } from "./prune";
import { nextTheme, theme } from "./theme";

// What a phone has room for; the rest is in the menu.
const first = ["processes", "tree", "approvals"];

export function Header() {
  const here = route.value.path[0] ?? "processes";
  const shown = places.filter((p) => p.path !== "new" && (!phone.value || first.includes(p.path)));
  const waiting = overview.value?.approvals ?? 0;
  return (
    <header class="top">
      <a class="brand" href={href("processes")}>
        Reeve
      </a>
      <nav aria-label="Places">
        {shown.map((p) => (
          <a key={p.path} href={href(p.path)} aria-current={here === p.path ? "page" : undefined}>
            {p.name}
            {p.path === "approvals" && waiting > 0 && <span class="count">{waiting}</span>}
          </a>
        ))}
      </nav>
      <div class="tools">
        {!phone.value && (
          <button type="button" class="find" onClick={() => show("palette")} aria-label="Find" title="Find (Ctrl+K)">
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d="M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14" />
            </svg>
            <kbd>Ctrl K</kbd>
          </button>
        )}
        <a class="button primary" href={href("new")} aria-current={here === "new" ? "page" : undefined}>
          New
        </a>
        <Menu label={phone.value ? "☰" : "Menu"} title="Menu" items={items()} />
      </div>
    </header>
  );
}

function items(): Item[] {
  const rest = phone.value ? places.filter((p) => p.path !== "new" && !first.includes(p.path)) : [];
  const all: Item[] = [
    ...rest.map((p) => ({ name: p.name, run: () => go(href(p.path)) })),
    { name: "Find…", hint: "Ctrl K", run: () => show("palette") },
    { name: `Colours: ${theme.value}`, hint: "T", run: nextTheme },
    { name: "Keys", hint: "?", run: () => show("help") },
    { name: "API reference", run: () => void open("/docs", "_blank", "noreferrer") },
    { name: "Prune…", run: () => void prune() },
    { name: "About", run: () => show("about") },
  ];
  if (token.value) all.push({ name: "Log out", run: leave });
  return all;
}

// The token goes last: what the page still has to send needs it. All that was
// seen goes with the page.
function leave(): void {
  addEventListener("pagehide", logOut);
  location.reload();
}
