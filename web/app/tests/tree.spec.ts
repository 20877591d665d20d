import type { Page } from "@playwright/test";
import { expect, test } from "./daemon";

const rows = (page: Page) => page.getByRole("treegrid").getByRole("row").filter({ hasNot: page.getByRole("columnheader") });
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

test("the forest is live: what comes, goes on and ends, with what is above it", async ({ daemon, open }) => {
  const above = await daemon.shell("true", { label: "Finished above", block: true });
  const root = await daemon.shell("echo 30%; sleep 60", { label: "Deploy", parent: above });
  const page = await open("#/tree");
  await expect(row(page, "Finished above")).toHaveAttribute("aria-level", "1"); // idle, yet on the way to what is active
  await expect(row(page, "Deploy")).toHaveAttribute("aria-level", "2");
  await expect(row(page, "Deploy").getByRole("progressbar")).toHaveAttribute("aria-valuenow", "30");
  const leaf = await daemon.shell("sleep 60", { label: "Migrate", parent: root });
  await expect(row(page, "Migrate")).toHaveAttribute("aria-level", "3");
  await daemon.shell("exit 1", { label: "Push", parent: root, block: true });
  await expect(row(page, "Push")).toHaveCount(0);
  await page.keyboard.press("a");
  await expect(page).toHaveURL(/all=1/);
  await expect(row(page, "Push")).toContainText("failed");
  await page.keyboard.press("a");

  daemon.cli("kill", "--now", String(leaf));
  await expect(row(page, "Migrate")).toHaveCount(0);
  daemon.cli("kill", "--now", String(root));
  await expect(page.getByText("Nothing is active.")).toBeVisible();
  await page.getByRole("button", { name: "Show all" }).click();
  await expect(rows(page)).toHaveCount(4);
});

test("arrows open, close and go through it; actions reach all below", async ({ daemon, open }) => {
  await daemon.stop();
  await daemon.start("--concurrency", "command=9");
  const root = await daemon.shell("sleep 60", { label: "Root" });
  const middle = await daemon.shell("sleep 60", { label: "Middle", parent: root });
  const leaf = await daemon.shell("sleep 60", { label: "Leaf", parent: middle });
  const page = await open("#/tree");
  await expect(rows(page)).toHaveCount(3);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  await expect(rows(page)).toHaveCount(1);
  await expect(row(page, "Root")).toContainText("2 below, 2 active");
  await page.keyboard.press("p");
  await daemon.until(leaf, { paused: true });
  await expect(row(page, "Root")).toContainText("paused");
  await page.keyboard.press("ArrowRight");
  await expect(row(page, "Leaf")).toContainText("paused");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("treegrid")).toHaveAttribute("aria-activedescendant", `row-${middle}`);
  await page.keyboard.press("-");
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.press("+");
  await expect(rows(page)).toHaveCount(3);
  await page.keyboard.press("K");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").getByText("processes ended, 0 left")).toBeVisible();
  await daemon.until(leaf, { state: "idle", exitState: "canceled" });
  expect((await daemon.record(root)).state).toBe("running");
  await row(page, "Root").getByRole("link", { name: "Root" }).click();
  await expect(page).toHaveURL(new RegExp(`#/processes/${root}$`));
});

test("keys do nothing to a process that is folded away", async ({ daemon, open }) => {
  const parent = await daemon.shell("sleep 100", { label: "Parent" });
  const child = await daemon.shell("sleep 100", { label: "Child", parent });
  const page = await open("#/tree");
  await page.getByRole("row", { name: /Child/ }).click();
  await page.keyboard.press("-");
  await expect(page.getByRole("row", { name: /Child/ })).toHaveCount(0);
  await page.keyboard.press("K");
  await page.keyboard.press("+"); // not for a question: none was asked
  await expect(page.getByRole("row", { name: /Child/ })).toBeVisible();
  await page.keyboard.press("K");
  await expect(page.getByRole("dialog", { name: `Kill ${child}?` })).toBeVisible();
});
