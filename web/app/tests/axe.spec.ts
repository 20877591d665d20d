// No page has what axe finds, in neither theme, at neither width.
import { expectClean } from "./clean";
import { expect, test } from "./daemon";

const places = [
  "#/processes",
  "#/processes?state=running&text=no-such",
  "#/tree?all=1",
  "#/approvals",
  "#/supervisors",
  "#/tools",
  "#/new?kind=typescript",
  "#/new?kind=command",
  "#/new?kind=agent",
  "#/new?kind=supervisor",
  ...["", "/output", "/timeline", "/events", "/trace", "/structured", "/findings", "/runs", "/resources", "/children", "/code"].map((tab) => `#/processes/1${tab}`),
];

for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
  test(`axe finds nothing, ${size.width} wide`, async ({ daemon, open, page }) => {
    test.slow(); // many pages, each looked at by many rules
    await page.setViewportSize(size);
    await daemon.stop();
    await daemon.start("--concurrency", "command=9");
    const id = await daemon.shell("echo plain; echo '\\033[31mred\\033[0m'; echo bad >&2; exit 3", { label: "Failed one", tags: ["ci", "b", "c", "d"], ref: "one", block: true });
    await daemon.shell("echo 40%; sleep 60", { label: "Running one", parent: id });
    const paused = await daemon.shell("sleep 60", { label: "Paused one", parent: id });
    await daemon.shell("true", { label: "Created one", autorun: false });
    await daemon.request("POST", `/processes/${paused}/signals/pause`, {});
    await open();
    for (const place of places) {
      await page.evaluate((hash) => (location.hash = hash), place);
      await expect(page).toHaveURL(new RegExp(`${place.replace("?", "\\?")}$`));
      await expect(page.getByRole("main")).not.toContainText("Loading…");
      await expect(page.getByRole("heading").first()).toBeVisible();
      await expectClean(page, place);
    }
    await page.evaluate(() => (location.hash = "#/processes"));
    await expect(page.getByRole("link", { name: "Running one" })).toBeVisible();
    await page.keyboard.press("*");
    await expectClean(page, "bulk");
    for (const [key, name] of [["K", /^Kill/], ["?", "Keys"], ["Control+k", "Find"]] as const) {
      await page.keyboard.press(key);
      await expect(page.getByRole("dialog", { name })).toBeVisible();
      await expectClean(page, String(name));
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog", { name })).toBeHidden();
    }
    await page.getByRole("search").getByRole("button", { name: "State" }).click();
    await expectClean(page, "choices");
    await page.getByRole("button", { name: "Menu" }).click();
    await expectClean(page, "menu");
  });
}
