// Which lines are worth jumping to: what the interpreter noticed, where stderr
// begins to speak, and lines that look like errors.
import { strip } from "../ansi";
import type { Stream } from "../protocol";
import type { Line } from "./store";

export const mark = { known: 1, stderr: 2, looks: 4, begins: 8, evidence: 16 };

/** The marks that are worth a jump. */
export const jump = mark.looks | mark.begins | mark.evidence;

/** Events that tell of the line before them. */
export const evidence = new Set(["warning_detected", "known_error_detected", "finding_emitted"]);

const pattern =
  /\b(?:errors?|fatal|panic|exception|traceback|fail(?:ed|ure)|segmentation fault|undefined reference|permission denied)\b|^\s*(?:E\s|✗|✘|FAIL\b)|\w(?:Error|Exception)\b/i;

// What says that there is none.
const denied = /\b(?:0|no|zero|without)\s+(?:errors?|failures?|failed)\b|\b(?:failed|failures?|errors?)\s*[:=]\s*0\b/i;

/** The marks of a line; before is the stream of the line before it. */
export function bitsOf(line: Line, before: Stream): number {
  let bits = mark.known;
  if (line.stream === "stderr") bits |= mark.stderr | (before === "stderr" ? 0 : mark.begins);
  const text = strip(line.text.length > 2000 ? line.text.slice(0, 2000) : line.text);
  if (pattern.test(text) && !denied.test(text)) bits |= mark.looks;
  return bits;
}
