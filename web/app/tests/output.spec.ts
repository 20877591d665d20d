import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { type Daemon, expect, test } from "./daemon";
import { longestTask } from "./tasks";

const lines = (page: Page): Locator => page.getByRole("region", { name: "Lines" });
const line = (page: Page, n: number): Locator => page.locator(`.line[data-line="${n}"]`);

async function download(page: Page, name: string): Promise<string> {
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  await page.getByRole("menuitem", { name }).click();
  return readFileSync(await (await coming).path(), "utf8");
}

test("colours, both streams, and a line that is not complete", async ({ daemon, open }) => {
  const id = await daemon.shell(`printf '\\033[31mred\\033[0m plain \\033[1;38;5;208morange\\033[0m \\033]0;title\\007\\033[2Kend\\n'; echo oops >&2; printf 'name? '; exec sleep 60`);
  const page = await open(`#/processes/${id}`);
  await expect(lines(page).locator(".sgr-1")).toHaveText("red");
  await expect(lines(page).locator(".sgr-own.sgr-bold")).toHaveText("orange");
  await expect(lines(page).locator(".line.stdout .text").first()).toHaveText("red plain orange end");
  await expect(lines(page).locator(".line.stderr")).toHaveText(/err\s*oops/);
  await expect(lines(page).locator(".line.partial")).toContainText("name?");
  await page.reload(); // what was said before one looks is seen, too
  await expect(lines(page).locator(".line.partial")).toContainText("name?");
});

test("one stream alone, search, and jumps to errors, over all lines", async ({ daemon, open }) => {
  const id = await daemon.shell("seq -f 'out %.0f' 1 3000; sleep 0.3; echo 'boom: Fatal error' >&2; sleep 0.3; seq -f 'more %.0f' 1 3000; echo second failure; sleep 0.3; echo late >&2", { block: true });
  const page = await open(`#/processes/${id}/output`);
  await expect(lines(page).getByText("late")).toBeVisible();

  await page.getByRole("button", { name: "stdout" }).click();
  await expect(lines(page).locator(".line.stdout")).toHaveCount(0);
  await expect(lines(page).locator(".line.stderr")).toHaveText([/boom/, /late/]);
  await expect(page).toHaveURL(/streams=stderr/);
  await page.reload();
  await expect(lines(page).locator(".line.stderr")).toHaveText([/boom/, /late/]);
  await page.keyboard.press("1");
  await expect(page).not.toHaveURL(/streams/);

  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("OUT 77");
  await expect(page.locator(".hits")).toHaveText("1 of 11 lines"); // 77 and 770 to 779
  await expect(page.locator(".line.current")).toContainText("out 77");
  await expect(page.locator(".line.current mark")).toHaveText("out 77");
  await page.getByRole("searchbox").press("Shift+Enter");
  await expect(page.locator(".hits")).toHaveText("11 of 11 lines");
  await expect(page.locator(".line.current")).toContainText("out 779");
  await page.getByRole("button", { name: "Match case" }).click();
  await expect(page.locator(".hits")).toHaveText("0 lines");
  await page.getByRole("button", { name: "Match case" }).click();
  await page.getByRole("button", { name: "Regular expression" }).click();
  await page.getByRole("searchbox").fill("^more 2(99|98)0$");
  await expect(page.locator(".hits")).toHaveText("1 of 2 lines");
  await page.getByRole("searchbox").fill("more (");
  await expect(page.locator(".hits")).toContainText("This is no regular expression");
  await page.getByRole("searchbox").press("Escape");

  await lines(page).press("Home");
  await expect(line(page, 1)).toBeVisible();
  await page.keyboard.press("e");
  await expect(page.locator(".line.current")).toContainText("boom");
  await page.keyboard.press("e");
  await expect(page.locator(".line.current")).toContainText("second failure");
  await page.keyboard.press("E");
  await expect(page.locator(".line.current")).toContainText("boom");
  await expect(page.getByText("1 of 3 places")).toBeVisible();
});

test("links to lines, runs apart, and files of them", async ({ daemon, open, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const id = await daemon.shell("seq -f 'n %.0f' 1 2000; echo wrong >&2", { block: true });
  await daemon.request("POST", `/processes/${id}/signals/run`, { force: true, block: true });
  const page = await open(`#/processes/${id}/output`);
  await expect(line(page, 2001).or(line(page, 2000)).first()).toBeVisible();

  await page.getByRole("combobox", { name: "Which run" }).selectOption("1");
  await expect(page).toHaveURL(/run=1/);
  await expect(page.getByText("Run 2 ·")).toHaveCount(0);
  await lines(page).press("Home");
  await line(page, 3).locator(".number").click();
  await expect(page).toHaveURL(new RegExp(`processes/${id}/output\\?run=1&line=3$`));
  await line(page, 6).locator(".number").click({ modifiers: ["Shift"] });
  await expect(page).toHaveURL(/run=1&line=3-6$/);
  await expect(page.locator(".line.marked")).toHaveCount(4);
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());

  await page.goto(`${daemon.url}/#/processes/${id}/output?run=2&line=1234`);
  await page.reload();
  await expect(page.locator(".line.marked")).toContainText("n 1234");
  await expect(page.locator(".line.marked")).toBeInViewport();
  await expect(page.getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "false");
  await page.keyboard.press("f");
  await expect(lines(page).getByText("n 2000")).toBeVisible();

  const numbers = Array.from({ length: 2000 }, (_, i) => `n ${i + 1}\n`).join("");
  expect(await download(page, "stdout")).toBe(numbers);
  expect(await download(page, "stderr")).toBe("wrong\n");
  const both = await download(page, "Both, as they came");
  expect(both.split("\n").sort()).toEqual((numbers + "wrong\n").split("\n").sort());

  await page.goto(`${daemon.url}/#/processes/${id}/output`);
  await expect(page.getByText("Run 2 ·")).toHaveCount(0); // above what is in sight
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("n 2000");
  await expect(page.locator(".hits")).toContainText("of 2 lines");
});

async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

const send = (daemon: Daemon, id: number, text: string): Promise<Response> => fetch(`${daemon.url}/processes/${id}/input`, { method: "POST", body: `${text}\n` });

test("the end is followed until a person goes up", async ({ daemon, open }) => {
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", "seq -f 'a %.0f' 1 500; while read line; do seq -f \"$line %.0f\" 1 500; done"], stdinOpen: true } });
  const page = await open(`#/processes/${id}/output`);
  await expect(lines(page).getByText("a 500")).toBeVisible();
  await lines(page).hover();
  await page.mouse.wheel(0, -3000);
  await expect(page.getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "false");
  await expect(lines(page).getByText("a 340")).toBeAttached();
  const place = await lines(page).evaluate((e) => e.scrollTop);
  await page.getByLabel("Input for the process").fill("b");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => lines(page).evaluate((e) => e.scrollHeight)).toBeGreaterThan(15_000);
  expect(await lines(page).evaluate((e) => e.scrollTop)).toBe(place);
  await lines(page).focus();
  await page.keyboard.press("f");
  await expect(lines(page).getByText("b 500")).toBeVisible();
  await page.keyboard.press("w");
  await page.keyboard.press("t");
  await expect(lines(page).getByText("b 500")).toBeVisible();
  await expect(lines(page).locator("time").first()).toHaveText(/^\d\d:\d\d:\d\d\.\d{3}$/);

  await lines(page).hover();
  await page.mouse.wheel(0, -9000);
  await expect(page.getByRole("button", { name: "Follow" })).toHaveAttribute("aria-pressed", "false");
  const y = async (): Promise<number> => (await lines(page).getByText("b 40", { exact: true }).boundingBox())!.y;
  const was = await y();
  await send(daemon, id, "a longer word ".repeat(30)); // these are wrapped
  await expect.poll(() => lines(page).evaluate((e) => e.scrollHeight)).toBeGreaterThan(29_000);
  expect(Math.abs((await y()) - was)).toBeLessThan(30);

  await hide(page, true); // nothing is lost, and nothing comes twice, when it is looked at again
  await send(daemon, id, "unseen");
  await hide(page, false);
  await page.keyboard.press("f");
  await expect(line(page, 2000)).toContainText("unseen 500");
  await page.getByRole("button", { name: "End of input" }).click();
  await expect(page.getByText("success", { exact: true })).toBeVisible();
});

test("what is not kept is said", async ({ daemon, open }) => {
  const id = await daemon.shell("seq 1 100", { rawOutput: "disabled", block: true });
  const page = await open(`#/processes/${id}/output`);
  await expect(page.locator(".line.elided")).toContainText("100 lines");
  await expect(page.locator(".line.elided")).toContainText("not kept");
  await page.getByRole("button", { name: "Download" }).click();
  await page.getByRole("menuitem", { name: "stdout" }).click();
  await expect(page.locator(".toast")).toContainText("not kept");
});

test("a hundred thousand lines while it is watched", async ({ daemon, open }) => {
  const page = await open();
  const id = await daemon.shell("", {
    code: undefined,
    command: { program: "sh", args: ["-c", 'read go; seq -f "line %.0f, one of very many" 1 100000'], stdinOpen: true },
  });
  await page.goto(`${daemon.url}/#/processes/${id}/output`);
  await expect(page.getByText("It has printed nothing yet.")).toBeVisible();
  const longest = await longestTask(page, async () => {
    await page.getByLabel("Input for the process").fill("go");
    await page.getByLabel("Input for the process").press("Enter");
    await expect(line(page, 100_000)).toContainText("line 100000, one of very many", { timeout: 40_000 });
  });
  await expect(page.locator(".line[data-line]")).not.toHaveCount(0);
  console.log(`CPU time of the longest task: ${longest.toFixed(0)} ms`);
  expect(longest).toBeLessThan(200);
  expect(await page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize)).toBeLessThan(40_000_000);
  expect(await page.locator("*").count()).toBeLessThan(1500);

  const all = await download(page, "Both, as they came");
  expect(all).toBe(Array.from({ length: 100_000 }, (_, i) => `line ${i + 1}, one of very many\n`).join(""));
  await lines(page).press("Home"); // the first ones were let go, and are fetched again
  await expect(line(page, 1)).toContainText("line 1,");
  await page.reload();
  await expect(line(page, 100_000)).toBeVisible();
});

test("a daemon that crashes while lines come", async ({ daemon, open }) => {
  const script = "read go; i=0; while [ $i -lt 60 ]; do seq -f 'line %.0f' $((i*500+1)) $((i*500+500)); i=$((i+1)); sleep 0.05; done; echo the end";
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", script], stdinOpen: true } });
  const page = await open(`#/processes/${id}/output`);
  await page.getByLabel("Input for the process").fill("go");
  await page.getByLabel("Input for the process").press("Enter");
  await expect(page.locator(".line[data-line]").first()).toBeVisible();
  await daemon.crash();
  await expect(page.getByText("The daemon is away")).toBeVisible();
  await daemon.start();
  await expect(lines(page).getByText("the end")).toBeVisible({ timeout: 40_000 });
  await expect(line(page, 30_001)).toContainText("the end");
  await expect(page.getByText("success", { exact: true })).toBeVisible();
  const all = await download(page, "Both, as they came");
  expect(all).toBe(Array.from({ length: 30_000 }, (_, i) => `line ${i + 1}\n`).join("") + "the end\n");
});
