import type { ITheme } from "@xterm/xterm";

/** The page's colours, for the terminal. */
export function coloursOf(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { background: token("panel"), foreground: token("text"), cursor: token("accent"), cursorAccent: token("panel"), selectionBackground: token("selected") };
}
