import type { Page } from "@playwright/test";
import { expectClean } from "./clean";
import { type Daemon } from "./daemon";
import { expect, test } from "./shop";

const deletes = (id: number): string => `try { console.log(JSON.stringify(await reeve.services.shop.tools.delete_pet({ id: ${id} }))) } catch (e) { console.log(e.code, e.message) }`;

const ask = async (daemon: Daemon, pet: number, token: string): Promise<number> =>
  (await daemon.request<{ id: number }>("POST", "/processes", { code: deletes(pet), label: `pet ${pet}` }, { Authorization: `Bearer ${token}` })).id;

const create = (daemon: Daemon, ...scopes: string[]): string =>
  daemon.cli("token", "create", "--name", scopes.join("-"), ...scopes.flatMap((s) => ["--scope", s])).match(/\S{20,}/)![0];

const logIn = async (page: Page, token: string): Promise<void> => {
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
};

test("calls wait for a person, who decides by keyboard, with a token given in place", async ({ daemon, shop, open }) => {
  const run = create(daemon, "read", "run");
  const approve = create(daemon, "approve");
  const page = await open("#/approvals");
  await logIn(page, run);
  await expect(page.getByText("Nothing waits for a decision.")).toBeVisible();
  const first = await ask(daemon, 3, run);
  const card = page.getByRole("listitem", { name: `shop/delete_pet, process ${first}` });
  await expect(card).toContainText('"id": 3'); // it came by itself
  await expect(card).toContainText(/expires in 23 h 59 min/);
  await expect(card.getByRole("link", { name: `${first} pet 3` })).toBeVisible();
  await expect(page.getByRole("link", { name: /^Approvals\D*1/ })).toBeVisible();

  await page.keyboard.press("j");
  await expect(card).toBeFocused();
  await page.keyboard.press("y");
  await expect(card.getByText("Your token has not the scope approve.")).toBeVisible();
  const field = card.getByLabel("Token with the scope approve");
  await expect(field).toBeFocused();
  await expectClean(page);
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await expect(card.getByText("The daemon does not know that token.")).toBeVisible();
  expect(shop.calls).toEqual([]);
  await field.fill(approve);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`shop/delete_pet of process ${first} was approved.`)).toBeVisible();
  await expect(card).toBeHidden();
  await expect(page.getByText("Nothing waits for a decision.")).toBeVisible();
  await expect.poll(() => shop.calls).toEqual(["DELETE /pets/3"]);
  await expect(page.getByRole("listitem").filter({ hasText: "approved" })).toContainText("by approve");

  const second = await ask(daemon, 4, run);
  const other = page.getByRole("listitem", { name: `process ${second}` });
  await other.getByLabel("Reason").fill("not today, thanks");
  await other.getByRole("button", { name: "Deny" }).click();
  await expect(other).toBeHidden();
  await expect(page.getByText("“not today, thanks”")).toBeVisible();
  const said = async (): Promise<string> => (await daemon.request<{ stdout: string }>("GET", `/processes/${second}`, undefined, { Authorization: `Bearer ${run}` })).stdout;
  await expect.poll(said).toMatch(/^denied .*not today, thanks/);
  expect(shop.calls.length).toBe(1);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + location.href)).not.toContain(approve);
});

test("large parameters are folded, and an approval has a link", async ({ daemon, open }) => {
  const token = create(daemon, "read", "run", "approve");
  const code = `await reeve.services.shop.tools.delete_many({ ids: Array.from({ length: 40 }, (_, i) => 1000 + i) })`;
  await daemon.request("POST", "/processes", { code }, { Authorization: `Bearer ${token}` });
  const page = await open("#/approvals/1");
  await logIn(page, token);
  await expect(page.locator("#approval-1")).toBeFocused();
  await expect(page.getByText("1000,")).toBeVisible();
  await expect(page.getByText("1039")).toBeHidden();
  await page.getByRole("button", { name: "Show all 44 lines" }).click();
  await expect(page.getByText("1039")).toBeVisible();
  await page.keyboard.press("n");
  await expect(page.locator("#approval-1 .badge")).toHaveText(/denied/);
});

test("tools are searched and explained; environments have their guides", async ({ open }) => {
  const page = await open("#/tools");
  await expect(page.getByRole("status").filter({ hasText: "5 tools" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Services" })).toContainText("A shop for pets.");
  await page.keyboard.press("/");
  await page.keyboard.type("makes a pet");
  await expect(page).toHaveURL(/#\/tools\?query=makes\+a\+pet/);
  const tool = page.getByRole("listitem").filter({ hasText: "shop/create_pet" });
  await expect(tool).toContainText("denied");
  await tool.getByText("shop/create_pet").click();
  await expect(tool).toContainText("name string required (length from 1)");
  await expect(tool).toContainText("age integer In years. (at least 0)");
  await expectClean(page);
  await page.reload(); // a link to a tool
  await expect(tool).toContainText("name string required");
  await page.getByRole("listitem").filter({ hasText: "typescript" }).getByRole("button", { name: "Guide" }).click();
  await expect(page.getByRole("dialog").getByRole("heading", { name: "Programs in TypeScript" })).toBeVisible();
});
