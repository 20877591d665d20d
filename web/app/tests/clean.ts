// axe, put into the page once: what wraps it for Playwright takes five times as long.
import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

type WithAxe = Window & { axe?: typeof axe };

const all: axe.RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] };
const colours: axe.RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/** Expects that axe finds nothing in what is shown now; in the dark only colours are others, at any width. */
export async function expectClean(page: Page, where = ""): Promise<void> {
  if (!(await page.evaluate(() => !!(window as WithAxe).axe))) await page.evaluate(axe.source);
  await look(page, where, "light", all);
  if (page.viewportSize()!.width > 1000) await look(page, where, "dark", colours);
}

async function look(page: Page, where: string, colorScheme: "light" | "dark", runOnly: axe.RunOnly): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  const found = await page.evaluate((runOnly) => (window as WithAxe).axe!.run({ runOnly, resultTypes: ["violations"] }), runOnly);
  const said = found.violations.flatMap((v) => v.nodes.map((n) => `${where} ${colorScheme}: ${v.id}: ${n.target.join(" ")}: ${n.failureSummary ?? ""}`));
  expect.soft(said).toEqual([]);
}
