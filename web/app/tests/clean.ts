import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Expects that axe finds nothing in what is shown now; in the dark only colours are others. */
export async function expectClean(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page }).setLegacyMode(true);
    const { violations } = await (colorScheme === "light" ? axe : axe.withRules(["color-contrast"])).analyze();
    expect(violations.flatMap((v) => v.nodes.map((n) => `${colorScheme}: ${v.id}: ${n.html}`))).toEqual([]);
  }
}
