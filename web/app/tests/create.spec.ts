import type { Page } from "@playwright/test";
import { expectClean } from "./clean";
import { type Daemon } from "./daemon";
import { expect, test } from "./shop";

interface Made {
  id: number;
  state: string;
  exitState: string | null;
  environment: string;
  label: string | null;
  tags: string[];
  code: string;
  stdout: string;
  output: Record<string, unknown>;
  command: { program: string; args: string[]; env: Record<string, string>; cwd: string } | null;
  options: Record<string, unknown>;
}

const all = async (daemon: Daemon): Promise<Made[]> => (await daemon.request<{ processes: Made[] }>("GET", "/processes")).processes;
const record = (daemon: Daemon, id: number): Promise<Made> => daemon.request("GET", `/processes/${id}`);

const watched = async (page: Page): Promise<number> => {
  await expect(page).toHaveURL(/#\/processes\/\d+/);
  return Number(/processes\/(\d+)/.exec(page.url())![1]);
};

const editor = (page: Page) => page.getByRole("textbox", { name: "Program in TypeScript" });

test("a program is typed with completion of globals, tools and parameters, and run", async ({ daemon, shop, open }) => {
  const page = await open("#/new?kind=typescript");
  await editor(page).click();
  await page.keyboard.type("const pet = await reeve.services.shop.tools.ge");
  const list = page.locator(".cm-tooltip-autocomplete");
  await expect(list.getByRole("option", { name: /get_pet/ })).toContainText("({ id })");
  await expect(page.locator(".cm-completionInfo")).toContainText("Gets a pet.");
  await expect(page.locator(".cm-completionInfo")).toContainText("id: integer");
  await expect(page.locator(".cm-completionInfo")).toContainText("Which pet.");
  await expectClean(page);
  await list.getByRole("option", { name: /get_pet/ }).click();
  await page.keyboard.type("({ i");
  await list.getByRole("option", { name: /^id\s*integer/ }).click();
  await page.keyboard.type("7 });\nreeve.out");
  await expect(list.getByRole("option", { name: /^output/ })).toBeVisible();
  await expect(page.locator(".cm-completionInfo")).toContainText("Adds to the structured output");
  await list.getByRole("option", { name: /^output/ }).click();
  await page.keyboard.type("(pet);\nTextEn");
  await expect(list.getByRole("option", { name: "TextEncoder" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Backspace");
  await page.keyboard.type("cons");
  await expect(list.getByRole("option", { name: "console" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.type("ole.log('done')");
  await page.keyboard.press("Control+Enter");
  const id = await watched(page);
  await expect.poll(async () => (await record(daemon, id)).exitState).toBe("success");
  const made = await record(daemon, id);
  expect([made.environment, made.stdout, made.output]).toEqual(["typescript", "done\n", { done: "/pets/7" }]);
  expect(shop.calls).toEqual(["GET /pets/7"]);
});

test("Tab indents; Escape, then Tab leaves; a draft survives a reload", async ({ open }) => {
  const page = await open("#/new");
  await editor(page).click();
  await page.keyboard.press("Tab");
  await page.keyboard.type("let x = 1");
  await expect(editor(page)).toHaveText("  let x = 1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
  await page.getByText("Name and place").click();
  await page.getByLabel("Label").fill("kept");
  await page.reload();
  await expect(editor(page)).toHaveText("  let x = 1");
  await expect(page.getByText("Name and place 1 set")).toBeVisible();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect(editor(page)).not.toContainText("let x");
});

test("a command: words, folder, variables, options; no secret is kept or shown", async ({ daemon, open }) => {
  const page = await open("#/new?kind=command");
  await page.getByLabel("Command line").fill(`sh -c 'echo "$WORD" from $(pwd)' "two words"`);
  await expect(page.getByRole("list", { name: "Program and arguments" }).getByRole("listitem")).toHaveText(["sh", "-c", 'echo "$WORD" from $(pwd)', "two words"]);
  await page.getByLabel("Working directory").fill("/");
  await page.getByRole("button", { name: "Add a variable" }).click();
  await page.getByLabel("Name of variable 1").fill("WORD");
  const value = page.getByLabel("Value of WORD");
  await expect(value).toHaveAttribute("type", "password");
  await value.fill("s3cret-word");
  await page.getByText("Time and end").click();
  await page.getByLabel("Timeout").fill("1m30s");
  await page.getByText("Name and place").click();
  await page.getByLabel("Tags").fill("ci, web");
  await page.getByText("Limits and isolation").click();
  await page.getByLabel("Memory").fill("256 MiB");
  expect(await page.evaluate(() => JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + location.href)).not.toContain("s3cret-word");
  await page.getByRole("button", { name: "Run and watch" }).click();
  const id = await watched(page);
  await expect.poll(async () => (await record(daemon, id)).exitState).toBe("success");
  const made = await record(daemon, id);
  expect(made.stdout).toBe("s3cret-word from /\n");
  expect(made.command).toMatchObject({ program: "sh", args: ["-c", 'echo "$WORD" from $(pwd)', "two words"], cwd: "/", env: { WORD: "•••" } });
  expect([made.tags, made.options]).toEqual([["ci", "web"], expect.objectContaining({ timeoutMs: 90_000, limits: { memoryBytes: 256 * 1024 * 1024 } })]);
});

test("by the shell; run and stay; create without running", async ({ daemon, open }) => {
  const page = await open("#/new?kind=command");
  await page.getByLabel("Command line").fill("echo one | tr a-z A-Z");
  await expect(page.getByText("means something to a shell only")).toBeVisible();
  await page.getByLabel("Run it by the shell").check();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("link", { name: "1", exact: true })).toBeVisible();
  await expect(page.locator(".made-here").getByText("success")).toBeVisible();
  expect(await record(daemon, 1)).toMatchObject({ code: "echo one | tr a-z A-Z", stdout: "ONE\n" });
  await page.getByRole("button", { name: "Create without running" }).click();
  await page.getByRole("link", { name: "2", exact: true }).click();
  expect(await watched(page)).toBe(2);
  expect(await record(daemon, 2)).toMatchObject({ state: "idle", exitState: null });
});

test("what is wrong is said at its field", async ({ daemon, open }) => {
  await daemon.shell("true", { ref: "taken" });
  const page = await open("#/new?kind=command");
  const run = page.getByRole("button", { name: "Run and watch" });
  await run.click();
  await expect(page.getByText("Say what to run.")).toBeVisible();
  await page.getByLabel("Command line").fill("true");
  const wrong: [string, string, string, RegExp][] = [
    ["Time and end", "Timeout", "soon", /is not a duration/],
    ["Input and output", "Interpreter", "nope", /is not an interpreter: want one of cargo/],
    ["Name and place", "Ref", "taken", /Another process has this ref/],
    ["Limits and isolation", "Require", "wings", /othing can be required of a command by the name/],
  ];
  for (const [group, label, value, sentence] of wrong) {
    const section = page.locator("details", { hasText: group });
    await section.locator("summary").click();
    const field = page.getByLabel(label, { exact: true });
    await field.fill(value);
    await section.locator("summary").click(); // closed: it is opened again where something is wrong
    await run.click();
    await expect(field).toBeFocused();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await expect(field).toHaveAccessibleDescription(sentence);
    await field.fill("");
  }
  expect((await all(daemon)).length).toBe(1);
});

test("a double click, or an answer that is lost, makes one process only", async ({ daemon, open }) => {
  const page = await open("#/new?kind=command");
  let lost = 0;
  await page.route("**/processes", async (route) => {
    if (route.request().method() !== "POST" || lost++ > 0) return route.continue();
    await route.fetch(); // the daemon has made it
    await route.abort();
  });
  await page.getByLabel("Command line").fill("echo once");
  const run = page.getByRole("button", { name: "Run", exact: true });
  await run.click();
  await expect(page.getByRole("alert").getByText("The daemon does not answer.")).toBeVisible();
  await run.dblclick();
  await expect(page.getByRole("link", { name: "1", exact: true })).toBeVisible();
  await expect(run).toBeEnabled();
  expect((await all(daemon)).map((p) => p.id)).toEqual([1]);
  expect(lost).toBeGreaterThan(1);
});

test("a form is filled in like a process, but for what is secret", async ({ daemon, open }) => {
  const id = await daemon.request<Made>("POST", "/processes", {
    environment: "command",
    command: { program: "echo", args: ["a b", "it's"], env: { KEY: "v" }, cwd: "/tmp" },
    label: "first",
    options: { timeout: 5000, sandbox: "confined" },
  });
  const page = await open(`#/new?like=${id.id}`);
  await expect(page.getByText(/Filled in like process 1\. Type again: the values of KEY/)).toBeVisible();
  await expect(page.getByLabel("Command line")).toHaveValue(`echo 'a b' 'it'\\''s'`);
  await expect(page.getByLabel("Value of KEY")).toHaveValue("");
  await page.getByRole("button", { name: "Run and watch" }).click();
  const again = await record(daemon, await watched(page));
  expect(again.command).toMatchObject({ program: "echo", args: ["a b", "it's"], cwd: "/tmp" });
  expect([again.label, again.options.timeoutMs, again.options.sandbox]).toEqual(["first", 5000, "confined"]);
});

test("an agent's form asks for what an agent takes; what cannot be run is said on top", async ({ open }) => {
  const page = await open("#/new?kind=agent");
  await page.getByRole("button", { name: "Run and watch" }).click();
  await expect(page.getByText("Say what the agent shall do.")).toBeVisible();
  await page.getByLabel("Intent").fill("Count the pets.");
  await page.getByLabel("Model").fill("gpt-5");
  await page.getByLabel("Steps at most").fill("7");
  await page.getByText("Budget and tools").click();
  await page.getByLabel("Tokens").fill("1000");
  await page.getByLabel("Tools", { exact: true }).fill("shop/get_*");
  const sent = page.waitForRequest((r) => r.method() === "POST" && r.url().endsWith("/processes"));
  await page.keyboard.press("Control+Enter");
  expect((await sent).postDataJSON()).toEqual({
    environment: "agent",
    code: "Count the pets.",
    options: { model: "gpt-5", maxSteps: 7, budget: { tokens: 1000 }, tools: ["shop/get_*"] },
  });
  await expect(page.getByRole("alert").getByText(/no model is configured/)).toBeVisible();
});
