import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expectClean } from "./clean";
import { expect, test } from "./daemon";
import { model } from "./model";

async function serve(handler: Parameters<typeof createServer>[1]): Promise<{ url: string; server: Server }> {
  const server = createServer(handler!);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

test("the head says what it is and how it is", async ({ daemon, open }) => {
  const told = await serve((_, answer) => answer.writeHead(204).end());
  const parent = await daemon.shell("true", { block: true });
  const id = await daemon.shell("echo hi; exit 7", {
    label: "the seventh", ref: "seven", tags: ["odd"], parent, block: true,
    notify: { url: `${told.url}/done`, secret: "sesame" }, options: { timeout: 90_000, limits: { pids: 50 } },
  });
  const page = await open(`#/processes/${id}`);
  const head = page.locator(".process-head");
  await expect(head.getByRole("heading", { name: "the seventh" })).toBeVisible();
  await expect(head.getByText("failed", { exact: true })).toBeVisible();
  await expect(head).toContainText("ref seven");
  await expect(head).toContainText("Exit7");
  await expect(head).toContainText("1 min 30 s, 50 processes");
  await expect(head).toContainText("run 1 delivered");
  await expect(head).not.toContainText("sesame");
  await expect(head.getByRole("link", { name: "odd" })).toHaveAttribute("href", "#/processes?tag=odd");
  await head.getByRole("link", { name: String(parent), exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/processes/${parent}$`));
  await page.getByRole("link", { name: "Children" }).click();
  await page.getByRole("link", { name: "the seventh" }).click();
  await expect(page).toHaveURL(new RegExp(`#/processes/${id}$`));
  await expect(page.getByRole("heading", { name: "the seventh" })).toBeVisible();
  await page.keyboard.press("[");
  await expect(page.getByRole("region", { name: "What is run" })).toContainText("echo hi; exit 7");
  await page.goto(`${daemon.url}/#/processes/99999`);
  await expect(page.getByText("There is no process 99999")).toBeVisible();
  told.server.close();
});

const cargo = `cat <<'END'
   Compiling app v0.1.0
error[E0308]: mismatched types
  --> src/main.rs:3:5
error: could not compile
warning: \`app\` (bin "app") generated 1 warning (run \`cargo fix\` to apply 1 suggestion)
END
exit 101`;

test("findings with their actions, and events with their details", async ({ daemon, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", cargo] }, interpreter: "cargo", block: true });
  const page = await open(`#/processes/${id}/findings`);
  const found = page.getByRole("list", { name: "Findings" }).getByRole("listitem");
  await expect(found).toHaveText([/error.*mismatched types.*E0308.*src\/main.rs:3:5.*rustc --explain E0308/s, /could not compile/, /recommendation.*generated 1 warning.*cargo fix/s]);
  await found.first().getByRole("button", { name: "Copy" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("rustc --explain E0308");

  await page.getByRole("link", { name: "Events" }).click();
  await expect(page.getByRole("row")).not.toHaveCount(0);
  await expect(page.getByRole("row").filter({ hasText: "output_appended" })).toHaveCount(0);
  await page.getByRole("combobox", { name: "Kind" }).selectOption("known_error_detected");
  await expect(page).toHaveURL(/kind=known_error_detected/);
  await expect(page.getByRole("row").first()).toContainText("known_error_detected");
  await page.getByRole("button", { name: "known_error_detected" }).first().click();
  await expect(page.getByRole("dialog")).toContainText('"code": "cargo.');
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Kind" }).selectOption("all");
  await expect(page.getByRole("row").filter({ hasText: "stdout: error[E0308]" })).toHaveCount(1);

  await page.getByRole("link", { name: "Findings" }).click();
  await found.first().getByRole("button", { name: /Run as a new process/ }).click();
  await expect(page).toHaveURL(/#\/new\?kind=command$/); // nothing of it in the address
  expect(await page.evaluate(() => sessionStorage.getItem("reeve-draft-command"))).toContain("rustc --explain E0308");
});

const rules = `rules:
  - {kind: finding, match: '^see (.*)', severity: info, code: t.see, message: there is more, action: {label: Read on, link: $1}}
  - {kind: finding, match: '^do (.*)', severity: warning, code: t.do, message: something is to be done, action: {instruction: $1}}
`;

test("actions of findings: links, but only to pages, and instructions", async ({ daemon, open }) => {
  const dir = join(daemon.data, "rules");
  mkdirSync(dir);
  writeFileSync(join(dir, "advice.yaml"), rules);
  await daemon.stop();
  await daemon.start("--rules-dir", dir);
  const id = await daemon.shell("echo see https://example.org/x; echo 'see javascript:alert(1)'; echo do wash the dishes", { interpreter: "advice", block: true });
  const page = await open(`#/processes/${id}/findings`);
  const found = page.getByRole("list", { name: "Findings" });
  await expect(found.getByRole("link", { name: "Read on" })).toHaveAttribute("href", "https://example.org/x");
  await expect(found.getByRole("link")).toHaveCount(1);
  await expect(found).toContainText("javascript:alert(1)");
  await expect(found).toContainText("wash the dishes");
});

test("structured output as a tree", async ({ daemon, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id } = await daemon.request<{ id: number }>("POST", "/processes", {
    environment: "typescript", code: "reeve.output({ result: { sizes: [3, 5], 'odd name': null }, done: true })", block: true,
  });
  const page = await open(`#/processes/${id}/structured`);
  const tree = page.getByRole("region", { name: "Structured output" });
  await expect(tree).toContainText("done");
  await tree.getByText("sizes").click();
  await expect(tree).toContainText("5");
  await tree.getByRole("button", { name: "Copy the path result.sizes[1]" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("result.sizes[1]");
  await tree.getByRole("button", { name: "Copy the value of result.sizes", exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("[\n  3,\n  5\n]");
  await expect(tree.getByRole("button", { name: 'Copy the path result["odd name"]' })).toBeAttached();
});

test("runs, and the difference between two", async ({ daemon, open }) => {
  const script = `n=$(cat ${daemon.data}/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${daemon.data}/n; seq 1 20; echo "attempt $n"; seq 21 40; [ $n = 1 ] && { echo first >&2; exit 3; }; exit 0`;
  const id = await daemon.shell(script, { block: true });
  await daemon.request("POST", `/processes/${id}/signals/run`, { force: true, block: true });
  const page = await open(`#/processes/${id}/runs`);
  const table = page.getByRole("region", { name: "All runs" });
  await expect(table.getByRole("row")).toHaveCount(3);
  await expect(table.getByRole("row").nth(1)).toContainText("success");
  await expect(table.getByRole("row").nth(2)).toContainText("failed");
  await page.getByRole("radio", { name: "Run 1 as A" }).check();
  await page.getByRole("radio", { name: "Run 2 as B" }).check();
  await expect(page).toHaveURL(/a=1&b=2/);
  const difference = page.getByRole("region", { name: "Run 1 compared with run 2" });
  await expect(difference).toContainText("1 line added, 1 removed");
  await expect(difference.locator(".diff.removed")).toContainText("attempt 1");
  await expect(difference.locator(".diff.added")).toContainText("attempt 2");
  await expect(difference.locator(".diff.fold")).toHaveCount(2);
  await difference.getByRole("button", { name: /17 lines/ }).first().click();
  await expect(difference.locator(".diff").first()).toHaveText(/^1\s*1\s*1$/);
  await difference.getByRole("button", { name: "stderr" }).click();
  await expect(difference.locator(".diff.removed")).toContainText("first");
  await expect(difference.getByRole("row").filter({ hasText: "A: run 1" })).toContainText("3");
  await table.getByRole("row").nth(2).getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`processes/${id}/output\\?run=1$`));
  await expect(page.getByText("attempt 1")).toBeVisible();
});

test("an agent's transcript is a conversation", async ({ daemon, open }) => {
  const fake = await model([
    { text: "I shall look.", calls: [{ name: "reeve_output", args: { key: "answer", found: 42 } }] },
    { text: "It is **42**.", calls: [] },
  ]);
  await daemon.stop();
  daemon.env = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: fake.url };
  await daemon.start("--agent-model", "scripted");
  const { id } = await daemon.request<{ id: number }>("POST", "/processes", { environment: "agent", code: "find the answer", block: true });
  const page = await open(`#/processes/${id}/transcript`);
  const said = page.getByRole("article");
  await expect(said.filter({ hasText: "find the answer" }).last()).toBeVisible();
  await expect(page.getByRole("article", { name: "Agent" })).toHaveCount(2);
  await expect(page.getByRole("article", { name: "Agent" }).first()).toContainText("I shall look.");
  await expect(page.getByRole("heading", { name: /Step 1/ })).toContainText("100 in, 20 out");
  const call = page.locator("details.call");
  await expect(call).not.toHaveAttribute("open");
  await call.getByText("reeve_output").click();
  await expect(call).toContainText('"found": 42');
  await expect(call.getByRole("heading", { name: "Result" })).toBeVisible();
  await expectClean(page, "transcript");
  await page.getByRole("link", { name: "Timeline" }).click();
  await expect(page.getByRole("button", { name: /Steps: Step 2/ })).toBeVisible();
  fake.close();
});

test("what a run used is plotted, live", async ({ daemon, open }) => {
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; read go"], stdinOpen: true } });
  const page = await open(`#/processes/${id}/resources`);
  const cpu = page.getByRole("img", { name: /^CPU over/ });
  await expect(cpu).toBeVisible();
  await expect(page.locator("figure").filter({ hasText: "CPU" })).toContainText("now");
  await expect(page.getByRole("img", { name: /^Memory over .*most [1-9]/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /^Processes over .*most 1/ })).toBeVisible();
  const samples = async (): Promise<number> => (await daemon.request<{ samples: unknown[] }>("GET", `/processes/${id}/usage`)).samples.length;
  const before = await page.getByRole("img", { name: /^CPU over/ }).getAttribute("aria-label");
  await expect(cpu).not.toHaveAttribute("aria-label", before!); // it goes on
  await cpu.hover();
  await expect(page.locator("figcaption").first()).toContainText(/ at \d/);
  await cpu.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator("figcaption").first()).toContainText(/ at \d/);
  await fetch(`${daemon.url}/processes/${id}/input`, { method: "POST", body: "go\n" });
  await daemon.until(id, { state: "idle" });
  await page.getByRole("button", { name: "Table" }).click();
  await expect(page.getByRole("region", { name: "Resources as a table" }).getByRole("row")).toHaveCount((await samples()) + 1);
});

test("kernel calls, as they are made", async ({ daemon, open }) => {
  const id = await daemon.request<{ id: number }>("POST", "/processes", {
    code: "for (let i = 0; i < 1000; i++) { console.log(i); await new Promise((r) => setTimeout(r, 100)); }",
    options: { timeout: null },
  });
  const page = await open(`#/processes/${id.id}/trace`);
  const calls = page.getByRole("grid", { name: "Kernel calls, newest first" }).getByRole("row");
  await expect(calls.filter({ hasText: "Write" }).first()).toContainText("ms");
  await daemon.request("POST", `/processes/${id.id}/signals/kill`, { now: true });
  await expect(calls.filter({ hasText: "Reap" })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "the run is over" })).toBeVisible();
});
