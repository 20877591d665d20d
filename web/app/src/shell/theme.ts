// Light or dark: as the system has it, or as a person has said.
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const key = "reeve-theme";
const order: Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>(order.find((t) => t === localStorage.getItem(key)) ?? "system");

effect(() => {
  const chosen = theme.value;
  localStorage.setItem(key, chosen);
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
}
