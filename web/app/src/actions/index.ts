// What can be done to processes, the same everywhere. Each action asks where it
// must, does it, tells what became of it, and offers undo where it can be.
export { pause, resume, signal } from "./control";
export { destroy, hidden } from "./destroy";
export { kill, KillQuestion } from "./kill";
export { rerun, resumeAgent } from "./rerun";
export { useActionKeys, type Target } from "./keys";
export { Actions } from "./menu";
