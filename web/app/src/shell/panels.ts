import { signal } from "@preact/signals";

export type Panel = "help" | "about" | "palette";

/** The panel over the page, if there is one. */
export const panel = signal<Panel | null>(null);

export const show = (p: Panel): void => void (panel.value = p);
export const hide = (): void => void (panel.value = null);
