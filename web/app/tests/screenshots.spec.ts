// The pictures of the documentation. make screenshots makes them anew.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { Daemon, expect, test } from "./daemon";

const dir = process.env.REEVE_SCREENSHOTS ?? "";

test.skip(!dir, "make screenshots makes them");
test.use({ viewport: { width: 1180, height: 720 } });

const samples = join(import.meta.dirname, "../../../interpret/testdata");
const slowly = (file: string, pause: number): string =>
  `tail -n +4 ${join(samples, file)} | while IFS= read -r line; do printf '%s\\n' "$line"; sleep ${pause}; done`;

/** A morning's work: something of everything. */
async function furnish(daemon: Daemon): Promise<{ build: number; release: number }> {
  const idle = (label: string, more: Record<string, unknown> = {}): Promise<number> => daemon.shell("exec sleep 600", { label, ...more });
  for (let i = 0; i < 14; i++) await daemon.shell(i % 5 === 3 ? "echo 'error: connection refused' >&2; exit 1" : "echo done", { label: `import orders ${i + 1}`, tags: ["batch"] });
  await daemon.request("POST", "/processes", { code: 'console.log("3 pets");\nreeve.output({ pets: 3 });', label: "count pets", block: true });
  await daemon.shell(`cat ${join(samples, "cargo/errors.txt")}; exit 101`, { label: "cargo build", tags: ["ci"], interpreter: "cargo" });
  await idle("web server", { tags: ["web"] });
  const paused = await idle("search index", { tags: ["batch"] });
  await daemon.request("POST", `/processes/${paused}/signals/pause`, {});
  const release = await idle("release 4.2", { tags: ["ci"], ref: "release-4.2" });
  await idle("smoke tests", { parent: release, tags: ["ci"] });
  const build = await daemon.shell(slowly("docker-build/buildkit-ok.txt", 0.12), { label: "docker build", parent: release, tags: ["ci"], interpreter: "docker-build" });
  return { build, release };
}

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `${name}.png`) });
}

test("pictures", async ({ daemon, open }) => {
  await daemon.stop();
  await daemon.start("--concurrency", "command=50");
  const { build } = await furnish(daemon);
  const page = await open();
  await expect(page.getByText("docker build")).toBeVisible();
  await expect(page.getByText("search index")).toBeVisible();
  await picture(page, "list");
  await page.goto(`${daemon.url}/#/tree`);
  await expect(page.getByText("smoke tests")).toBeVisible();
  await picture(page, "tree");
  await expect.poll(async () => (await daemon.request<{ state: string }>("GET", `/processes/${build}`)).state, { timeout: 60_000 }).toBe("idle");
  await page.goto(`${daemon.url}/#/processes/${build}/timeline`);
  await expect(page.getByText("Run 1")).toBeVisible();
  await picture(page, "timeline");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${daemon.url}/#/processes/${build}/output`);
  await expect(page.getByRole("button", { name: "Follow" })).toBeVisible();
  await picture(page, "output");
});
