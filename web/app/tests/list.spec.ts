import type { Page } from "@playwright/test";
import { expect, test } from "./daemon";

const rows = (page: Page) => page.getByRole("grid", { name: "Processes" }).getByRole("row").filter({ hasNot: page.getByRole("columnheader") });
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
const choice = (page: Page, name: string) => page.getByRole("search").getByRole("button", { name });

test("processes come, change and go while one looks", async ({ daemon, open }) => {
  const page = await open();
  await expect(page.getByText("There are no processes yet.")).toBeVisible();

  const id = await daemon.shell("true", { label: "Nightly", ref: "n1", tags: ["ci"] });
  await expect(row(page, "Nightly")).toContainText("success");
  const running = await daemon.shell("sleep 60", { label: "Server", parent: id });
  await expect(row(page, "Server")).toContainText("running");
  await expect(row(page, "Server").getByTitle(`Started by process ${id}`)).toBeVisible();
  await expect(page.getByRole("button", { name: "1 running" })).toBeVisible();
  await expect(page).toHaveTitle(/1 running/);

  daemon.cli("kill", "--now", String(running));
  await expect(row(page, "Server")).toContainText("canceled");
  daemon.cli("rm", String(running)); // no event tells of it
  await expect(row(page, "Server")).toHaveCount(0);
  await expect(row(page, "Nightly")).toBeVisible();
});

test("filters, in the address and by the keyboard", async ({ daemon, open }) => {
  await daemon.shell("exit 3", { label: "Bad one", tags: ["ci"] });
  await daemon.shell("true", { label: "Good one", tags: ["ci", "nightly"] });
  await daemon.shell("sleep 60", { label: "Long one" });
  await daemon.request("POST", "/processes", { code: "console.log('typed')", block: true });
  const page = await open();
  await expect(rows(page)).toHaveCount(4);
  await expect(row(page, "Bad one").getByRole("gridcell").nth(9)).toHaveText("3");
  await expect(row(page, "console.log('typed')")).toContainText("typescript"); // called by its code

  await page.keyboard.press("/");
  await page.keyboard.type("GOOD");
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/text=GOOD/);
  await page.keyboard.press("Escape");
  await expect(rows(page)).toHaveCount(4);

  await choice(page, "Outcome").click();
  await expect(page.getByRole("group", { name: "Outcome" }).getByText("none yet")).toBeVisible();
  await page.getByRole("checkbox", { name: /^failed 1$/ }).check();
  await page.getByRole("checkbox", { name: /^none yet 1$/ }).check();
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press("Escape"); // closes the choices, and nothing else
  await expect(page).toHaveURL(/status=failed%2Cnull/);

  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("button", { name: "Remove the filter outcome null" }).click();
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("Bad one");

  await page.getByRole("button", { name: "Clear all" }).click();
  await choice(page, "Tag").click();
  await page.getByRole("radio", { name: /^ci 2$/ }).check();
  await expect(rows(page)).toHaveCount(2);
  await choice(page, "Environment").click();
  await page.getByRole("radio", { name: /^typescript 1$/ }).check();
  await expect(page.getByText("No process matches the filters.")).toBeVisible();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await choice(page, "State").click();
  await page.getByRole("checkbox", { name: /^running 1$/ }).check();
  await expect(rows(page)).toHaveCount(1);

  const id = await daemon.shell("sleep 60", { label: "Another" });
  await expect(row(page, "Another")).toBeVisible(); // it matches
  daemon.cli("kill", "--now", String(id));
  await expect(row(page, "Another")).toHaveCount(0); // it does not any more
});

test("activity of the last hour, by picture and by text", async ({ daemon, open }) => {
  await daemon.shell("true", { block: true });
  await daemon.shell("exit 1", { block: true });
  const page = await open();
  await expect(page.getByRole("img", { name: "Activity: Last hour: 2 created, 1 succeeded, 1 failed" })).toBeVisible();
  const box = (await page.getByRole("img", { name: /Activity/ }).boundingBox())!;
  await page.mouse.move(box.x + box.width - 3, box.y + 5);
  await expect(page.locator("figcaption")).toHaveText(/^\d\d:\d\d: /);
});

test("the cursor and the selection stay with their processes", async ({ daemon, open }) => {
  const first = await daemon.shell("true", { label: "One" });
  await daemon.shell("true", { label: "Two" });
  const page = await open();
  await expect(rows(page)).toHaveCount(2);
  await page.keyboard.press("End");
  await page.keyboard.press("x");
  await expect(page.getByText("1 process selected")).toBeVisible();
  await daemon.shell("true", { label: "Three" });
  await expect(rows(page)).toHaveCount(3);
  await expect(row(page, "One")).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("*");
  await expect(page.getByText("3 processes selected")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("selected", { exact: false })).toHaveCount(0);
  await page.keyboard.press("k");
  await expect(page.getByRole("grid")).toHaveAttribute("aria-activedescendant", `row-${first + 1}`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/processes/${first + 1}$`));
  await page.goBack();
  await expect(page.getByRole("grid")).toHaveAttribute("aria-activedescendant", `row-${first + 1}`);
});

test("the order, and progress", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "b short" });
  await daemon.shell("echo 42%; sleep 60", { label: "a long" });
  await daemon.shell("true", { label: "c never", autorun: false });
  const page = await open();
  await expect(row(page, "a long").getByRole("progressbar")).toHaveAttribute("aria-valuenow", "42");
  await page.getByRole("button", { name: "Process", exact: true }).click();
  await expect(rows(page).nth(0)).toContainText("a long");
  await expect(page).toHaveURL(/sort=title/);
  await page.getByRole("button", { name: "Elapsed" }).click();
  await expect(page.getByRole("columnheader", { name: "Elapsed" })).toHaveAttribute("aria-sort", "descending");
  await expect(rows(page).nth(0)).toContainText("a long");
  await expect(rows(page).nth(2)).toContainText("c never");
});

test("who has scrolled down is told of new ones, not moved", async ({ daemon, open }) => {
  await daemon.many(120, (i) => ({ label: `job ${i}` }));
  const page = await open();
  await expect(page.getByText("120 shown")).toBeVisible();
  const grid = page.getByRole("grid");
  await grid.evaluate((e) => (e.scrollTop = 1600));
  const top = row(page, "job").locator("visible=true");
  const where = async (): Promise<string> => grid.evaluate((e) => [...e.querySelectorAll(".row")].find((r) => r.getBoundingClientRect().top > e.getBoundingClientRect().top + 32)?.id ?? "");
  await expect(top.first()).toBeVisible();
  const before = await where();
  await daemon.many(3, (i) => ({ label: `fresh ${i}` }));
  await expect(page.getByRole("button", { name: "3 new processes" })).toBeVisible();
  expect(await where()).toBe(before);
  await page.getByRole("button", { name: "3 new processes" }).click();
  await expect(row(page, "fresh 0")).toBeVisible();
  await expect(page.getByRole("button", { name: "3 new processes" })).toHaveCount(0);
});

test("a daemon that comes back is taken up without a reload", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "before", block: true });
  const page = await open();
  await expect(row(page, "before")).toBeVisible();
  await daemon.crash();
  await expect(page.getByRole("alert")).toContainText("The daemon is away");
  await daemon.start();
  await daemon.shell("true", { label: "after" });
  await expect(row(page, "after")).toContainText("success");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(2);
});
