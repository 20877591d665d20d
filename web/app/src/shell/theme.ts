// Light or dark: as the system has it, or as a person has said.
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

export const theme = signal<Theme>((localStorage.getItem("reeve-theme") as Theme | null) ?? "system");

effect(() => {
  const chosen = theme.value;
  localStorage.setItem("reeve-theme", chosen);
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});

const order: Theme[] = ["system", "light", "dark"];

export function nextTheme(): void {
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
}
