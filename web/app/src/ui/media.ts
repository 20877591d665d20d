import { signal } from "@preact/signals";

const narrow = matchMedia("(max-width: 760px)");

/** Whether the window is as narrow as a phone. */
export const phone = signal(narrow.matches);

narrow.addEventListener("change", () => (phone.value = narrow.matches));
