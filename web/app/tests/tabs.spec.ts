// Several tabs on one daemon, and a daemon that is not what it was.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "./daemon";

// Browsers have no way to put a tab behind another one in a test: it is told so.
const look = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate((h) => {
    Object.defineProperty(document, "hidden", { value: h, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

test("hidden tabs give their connections up, and go on where they were", async ({ daemon, context }) => {
  const id = await daemon.shell("echo one; while [ ! -e $HOME/go ]; do sleep 0.05; done; echo two; sleep 60");
  const pages: Page[] = [];
  for (let i = 0; i < 7; i++) {
    const page = await context.newPage();
    await page.goto(`${daemon.url}/#/processes/${id}/output`);
    await expect(page.getByText("one", { exact: true })).toBeVisible();
    await look(page, true);
    pages.push(page);
  }
  await daemon.shell("touch $HOME/go", { block: true });
  await look(pages[0]!, false);
  await expect(pages[0]!.getByText("two", { exact: true })).toBeVisible();
  await expect(pages[0]!.getByText("one", { exact: true })).toHaveCount(1);
});

test("who logs out has logged out in every tab", async ({ daemon, context }) => {
  const secret = daemon.cli("token", "create", "--scope", "read", "--scope", "run").trim();
  const one = await context.newPage();
  const two = await context.newPage();
  for (const [page, remember] of [[one, true], [two, false]] as const) {
    await page.goto(daemon.url);
    if (await page.getByLabel("Token").isVisible().catch(() => false) || page === one) {
      await page.getByLabel("Token").fill(secret);
      if (remember) await page.getByLabel("Remember it in this browser").check();
      await page.keyboard.press("Enter");
    }
    await expect(page.getByRole("heading", { name: "Processes" })).toBeVisible();
  }
  await two.goto(`${daemon.url}/#/new?kind=command`);
  await one.getByRole("button", { name: "Menu" }).click();
  await one.getByRole("menuitem", { name: "Log out" }).click();
  for (const page of [one, two]) {
    await expect(page.getByText("This daemon wants a token.")).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + document.documentElement.outerHTML)).not.toContain(secret);
  }
});

test("a token that is revoked leads to the login, and back to the same place", async ({ daemon, open }) => {
  const id = await daemon.shell("echo here", { block: true });
  const create = (name: string): string => daemon.cli("token", "create", "--name", name, "--scope", "read", "--scope", "run").trim();
  const [first, second] = [create("first"), create("second")];
  const page = await open(`#/processes/${id}/events?kind=exited`);
  await page.getByLabel("Token").fill(first);
  await page.keyboard.press("Enter");
  await expect(page.getByText("code 0")).toBeVisible();
  daemon.cli("token", "rm", /^([0-9a-f]{6,})\b.*\bfirst\b/m.exec(daemon.cli("token", "list"))![1]!);
  await expect(page.getByLabel("Token")).toBeVisible();
  await page.getByLabel("Token").fill(second);
  await page.keyboard.press("Enter");
  await expect(page.getByText("code 0")).toBeVisible();
  expect(page.url()).toContain(`#/processes/${id}/events?kind=exited`);
});

test("a daemon with other data is seen as it is", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "Old 4", block: true });
  await daemon.many(200, () => ({ tags: ["hay"] })); // its numbers go far
  const page = await open("#/processes?status=success");
  await expect(page.getByRole("link", { name: "Old 4" })).toBeVisible();
  await daemon.stop();
  for (const name of readdirSync(daemon.data)) rmSync(join(daemon.data, name), { recursive: true, force: true });
  await daemon.start();
  await daemon.shell("true", { label: "First of the new", block: true });
  await expect(page.getByRole("link", { name: "First of the new" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Old 4" })).toHaveCount(0);
  for (let i = 2; i < 9; i++) await daemon.shell("true", { label: `New ${i}`, block: true });
  await expect(page.getByRole("link", { name: "New 8" })).toBeVisible();
});
