import { tell } from "../ui/toast";

/** Puts a text on the clipboard, and says so: "The path is copied." */
export function copy(text: string, what: string): void {
  if (!navigator.clipboard) return tell("This browser copies only on https or localhost.");
  void navigator.clipboard.writeText(text).then(
    () => tell(`${what} is copied.`),
    () => tell("The browser did not allow to copy."),
  );
}
