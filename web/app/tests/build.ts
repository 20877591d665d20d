// Builds the program once for all tests, unless REEVE_BIN names one.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function build(): () => void {
  if (process.env.REEVE_BIN) return () => {};
  const dir = mkdtempSync(join(tmpdir(), "reeve-web-bin-"));
  process.env.REEVE_BIN = join(dir, "reeve");
  execFileSync("go", ["build", "-o", process.env.REEVE_BIN, "./cmd/reeve"], { cwd: join(import.meta.dirname, "../../.."), stdio: "inherit" });
  return () => rmSync(dir, { recursive: true, force: true });
}
