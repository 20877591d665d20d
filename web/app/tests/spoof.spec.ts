// A decision is about what was shown, and about nothing else.
import type { Page } from "@playwright/test";
import type { Daemon } from "./daemon";
import { expect, test } from "./shop";

const ask = async (daemon: Daemon, params: string, token: string): Promise<number> =>
  (await daemon.request<{ id: number }>("POST", "/processes", { code: `try { await reeve.services.shop.tools.delete_pet(${params}) } catch {}`, label: "\u202eelbissop sa\u202c\u200b" }, { Authorization: `Bearer ${token}` })).id;

const enter = async (daemon: Daemon, page: Page): Promise<string> => {
  const token = daemon.cli("token", "create", "--scope", "read", "--scope", "run", "--scope", "approve").trim();
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nothing waits for a decision.")).toBeVisible();
  return token;
};

test("a click that was meant for another call decides nothing", async ({ daemon, shop, open }) => {
  daemon.cli("token", "create", "--scope", "read");
  const page = await open("#/approvals");
  const token = await enter(daemon, page);
  const cards = page.locator("ul.pending > li");
  for (const id of [1, 2, 3]) {
    await ask(daemon, `{ id: ${id} }`, token);
    await expect(cards).toHaveCount(id);
  }
  const first = (await cards.nth(0).getByRole("button", { name: "Approve" }).boundingBox())!;
  const at = [first.x + first.width / 2, first.y + first.height / 2] as const;
  await page.mouse.click(...at);
  await expect(cards).toHaveCount(2);
  await page.mouse.click(...at); // the second click of two
  await expect(cards.nth(0).getByRole("button", { name: "Approve" })).toBeEnabled();
  await expect(cards).toHaveCount(2);
  expect(shop.calls).toEqual(["DELETE /pets/1"]);
  await cards.nth(1).focus();
  await daemon.request("POST", "/approvals/3/deny", {}, { Authorization: `Bearer ${token}` }); // by somebody else
  await expect(cards).toHaveCount(1);
  await page.keyboard.press("y"); // the one in focus is gone
  await page.mouse.click(...at);
  await expect(cards.nth(0).getByRole("button", { name: "Approve" })).toBeEnabled();
  expect(shop.calls).toEqual(["DELETE /pets/1"]);
  await page.mouse.click(...at);
  await expect.poll(() => shop.calls).toEqual(["DELETE /pets/1", "DELETE /pets/2"]);
});

test("parameters are shown as they are: nothing hidden, nothing turned around, nothing rounded", async ({ daemon, open, page }) => {
  daemon.cli("token", "create", "--scope", "read");
  await page.route(/\/approvals\?.*pending/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace('"id":7', '"id":12345678901234567890') });
  });
  await open("#/approvals");
  const token = await enter(daemon, page);
  await ask(daemon, `{ id: 7, note: "keep\\u202eeteled\\u202c \\u200b<b>x</b>" }`, token);
  const card = page.locator("ul.pending > li");
  await expect(card.locator("pre")).toContainText('"note": "keep\\u202eeteled\\u202c \\u200b<b>x</b>"');
  await expect(card.locator("pre")).toContainText('"id": 12345678901234567890');
  await expect(card).toContainText("\\u202eelbissop sa\\u202c\\u200b");
  expect(await card.innerText()).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/);
});
