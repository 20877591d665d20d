import type { Page } from "@playwright/test";
import { expect, test } from "./daemon";

const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name });
const note = (page: Page, text: string | RegExp) => page.getByRole("status").getByText(text);

async function cursorOn(page: Page, name: string): Promise<void> {
  await row(page, name).getByRole("gridcell").nth(1).click();
}

test("pause, resume, and back again by undo", async ({ daemon, open }) => {
  const id = await daemon.shell("sleep 60", { label: "Parent" });
  const child = await daemon.shell("sleep 60", { label: "Child", parent: id });
  const page = await open();
  await cursorOn(page, "Parent");
  await page.keyboard.press("p");
  await expect(note(page, `Process ${id} paused, and 1 below`)).toBeVisible();
  await expect(row(page, "Parent")).toContainText("paused");
  await expect(row(page, "Child")).toContainText("paused");
  await daemon.until(child, { paused: true });
  const elapsed = await row(page, "Parent").getByTitle("Elapsed; it stands still while paused").textContent();
  await page.keyboard.press("z");
  await expect(row(page, "Child")).toContainText("running");
  await daemon.until(id, { paused: false });
  await page.keyboard.press("p");
  await expect(row(page, "Parent")).toContainText("paused");
  await page.keyboard.press("p");
  await expect(note(page, `Process ${id} resumed, and 1 below`)).toBeVisible();
  await daemon.until(id, { paused: false });
  expect(elapsed).toMatch(/s$/);
});

test("elapsed time stands still while paused", async ({ daemon, open, page }) => {
  await page.clock.install();
  const id = await daemon.shell("sleep 60", { label: "Sleeper" });
  await open();
  await expect(row(page, "Sleeper")).toContainText("running");
  const elapsed = () => row(page, "Sleeper").getByRole("gridcell").nth(7).textContent();
  const early = await elapsed();
  await page.clock.runFor(5_000);
  await expect.poll(elapsed).not.toBe(early);
  daemon.cli("pause", String(id));
  await page.clock.runFor(2_000);
  await expect(row(page, "Sleeper")).toContainText("paused");
  const paused = await elapsed();
  await page.clock.runFor(10_000);
  expect(await elapsed()).toBe(paused);
});

test("kill asks, and proves it", async ({ daemon, open }) => {
  const id = await daemon.shell("sleep 60 & sleep 60 & sleep 60", { label: "Tree of the system" });
  const child = await daemon.shell("sleep 60 & wait", { label: "Below", parent: id });
  const page = await open();
  await cursorOn(page, "Tree of the system");
  await page.keyboard.press("K");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await daemon.record(id)).state).toBe("running");
  await page.keyboard.press("K");
  await page.keyboard.press("Enter"); // the focus is on Kill
  await expect(note(page, /^6 processes ended, 0 left$/)).toBeVisible();
  await expect(row(page, "Tree of the system")).toContainText("canceled");
  await daemon.until(id, { state: "idle", exitState: "canceled" });
  await daemon.until(child, { state: "idle", exitState: "canceled" });
});

test("kill now, with a grace, and without what is below", async ({ daemon, open }) => {
  const stubborn = await daemon.shell("trap '' TERM; echo ready; while :; do sleep 0.1; done", { label: "Stubborn" });
  const parent = await daemon.shell("sleep 60", { label: "Above" });
  const child = await daemon.shell("sleep 60", { label: "Stays", parent });
  const page = await open();
  await cursorOn(page, "Stubborn");
  await page.keyboard.press("K");
  await page.getByLabel("Seconds of grace").fill("0.2");
  await page.getByRole("button", { name: "Kill", exact: true }).click();
  await expect(note(page, /process(es)? ended, 0 left$/)).toBeVisible();
  await daemon.until(stubborn, { state: "idle", exitState: "canceled" });
  await cursorOn(page, "Above");
  await page.keyboard.press("K");
  await page.getByLabel("Kill it now (SIGKILL)").check();
  await page.getByLabel("And the Reeve processes below it").uncheck();
  await page.getByRole("button", { name: "Kill", exact: true }).click();
  await expect(row(page, "Above")).toContainText("canceled");
  expect((await daemon.record(child)).state).toBe("running");
});

test("run again: at once what has not run, after a question what has", async ({ daemon, open }) => {
  const fresh = await daemon.shell("echo first", { label: "Fresh", autorun: false });
  const page = await open();
  await cursorOn(page, "Fresh");
  await page.keyboard.press("r");
  await expect(note(page, `Process ${fresh} started`)).toBeVisible();
  await daemon.until(fresh, { run: 1, exitState: "success" });
  await expect(row(page, "Fresh")).toContainText("success");
  await page.keyboard.press("r");
  await page.getByRole("button", { name: "Run again", exact: true }).last().click();
  await daemon.until(fresh, { run: 2, exitState: "success" });
});

test("delete can be undone until it is done, and is done when one leaves", async ({ daemon, open }) => {
  const stays = await daemon.shell("true", { label: "Stays", block: true });
  const goes = await daemon.shell("true", { label: "Goes", block: true });
  const page = await open();
  await cursorOn(page, "Stays");
  await page.keyboard.press("d");
  await expect(row(page, "Stays")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row(page, "Stays")).toBeVisible();
  await cursorOn(page, "Goes");
  await page.keyboard.press("d");
  await expect(row(page, "Goes")).toHaveCount(0);
  await daemon.record(goes); // not yet
  await page.reload();
  await expect(row(page, "Stays")).toBeVisible();
  await expect.poll(() => daemon.record(goes).then(() => "there", () => "gone")).toBe("gone");
  await daemon.record(stays);
});

test("delete is done when its undo is over; what is active stays", async ({ daemon, open, page }) => {
  await page.clock.install();
  const active = await daemon.shell("sleep 60", { label: "Active" });
  const idle = await daemon.shell("true", { label: "Idle", block: true });
  await open();
  await expect(row(page, "Idle")).toBeVisible();
  await page.clock.runFor(500);
  await page.keyboard.press("*");
  await page.keyboard.press("d");
  await expect(note(page, new RegExp(`${active}: It is active`))).toBeVisible();
  await expect(row(page, "Idle")).toHaveCount(0);
  await page.clock.runFor(9_000);
  await expect.poll(() => daemon.record(idle).then(() => "there", () => "gone")).toBe("gone");
  expect((await daemon.record(active)).state).toBe("running");
});

test("many at once, with one summary", async ({ daemon, open }) => {
  await daemon.stop();
  await daemon.start("--concurrency", "command=20");
  const ids: number[] = [];
  for (let i = 0; i < 12; i++) ids.push(await daemon.shell("exec sleep 60", { label: `Worker ${i}` }));
  await daemon.shell("true", { label: "Over", block: true });
  const page = await open();
  await expect(page.getByRole("button", { name: "12 running" })).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await expect(page.getByText("13 processes selected")).toBeVisible();
  await page.getByRole("button", { name: "Pause 12" }).click();
  await expect(note(page, "12 processes paused")).toBeVisible();
  await page.getByRole("button", { name: "Resume 12" }).click();
  await expect(note(page, "12 processes resumed")).toBeVisible();
  await page.getByRole("button", { name: "Kill 12" }).click();
  await page.getByRole("button", { name: "Kill", exact: true }).last().click();
  await expect(note(page, /processes ended/)).toHaveText("12 processes ended, 0 left");
  for (const id of ids) await daemon.until(id, { state: "idle", exitState: "canceled" });
});

test("signals leave the verdict to the program", async ({ daemon, open }) => {
  const id = await daemon.shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done", { label: "Graceful" });
  await expect.poll(async () => (await daemon.request<{ stdout: string }>("GET", `/processes/${id}`)).stdout).toContain("ready");
  const page = await open();
  await cursorOn(page, "Graceful");
  await page.keyboard.press("s");
  await page.keyboard.press("t");
  await expect(note(page, `Process ${id} got SIGTERM`)).toBeVisible();
  await daemon.until(id, { state: "idle", exitState: "success" });
});

test("the same by the buttons of one process", async ({ daemon, open }) => {
  const id = await daemon.shell("exec sleep 60", { label: "Alone" });
  const page = await open(`#/processes/${id}`);
  const actions = page.getByRole("group", { name: "Actions" });
  await actions.getByRole("button", { name: "Pause" }).click();
  await daemon.until(id, { paused: true });
  await actions.getByRole("button", { name: "Resume" }).click();
  await daemon.until(id, { paused: false });
  await actions.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Kill now" }).click();
  await expect(page.getByLabel("Kill it now (SIGKILL)")).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(note(page, "1 process ended, 0 left")).toBeVisible();
  await daemon.until(id, { state: "idle", exitState: "canceled" });
  await actions.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page).toHaveURL(/#\/processes$/);
  await expect(page.getByText("There are no processes yet.")).toBeVisible();
  await page.locator(".toast", { hasText: "deleted" }).getByRole("button", { name: "Undo" }).click();
  await expect(row(page, "Alone")).toBeVisible();
});

test("what is too much for an undo is asked about, and deleted at once", async ({ daemon, open }) => {
  await daemon.many(130, () => ({}));
  const total = async (): Promise<number> => (await daemon.request<{ total: number }>("GET", "/overview")).total;
  const page = await open();
  await expect(page.getByText("130 shown")).toBeVisible();
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.keyboard.press("d");
  await expect(page.getByRole("dialog", { name: "Delete 130 processes?" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("130 shown")).toBeVisible();
  await page.getByRole("button", { name: "Delete 130" }).click();
  await page.getByRole("dialog", { name: "Delete 130 processes?" }).getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("130 processes deleted")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  await expect.poll(total).toBe(0);
});

test("after a deletion the keys are about the next one, never about what is not shown", async ({ daemon, open }) => {
  for (const label of ["Third", "Second", "First"]) await daemon.shell("true", { label, autorun: false });
  const page = await open();
  await expect(page.getByText("3 shown")).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("d");
  await expect(page.getByText("2 shown")).toBeVisible();
  await page.keyboard.press("r");
  await daemon.until(2, { exitState: "success" });
  await daemon.until(3, { run: 0 });
  await page.keyboard.press("z"); // the deletion is undone: what was shown first is there again
  await expect(page.getByText("3 shown")).toBeVisible();
});

test("a daemon that is away is told of, and nothing is hidden as deleted", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "Stays", autorun: false });
  const page = await open();
  await expect(row(page, "Stays")).toBeVisible();
  await daemon.crash();
  await page.keyboard.press("j");
  await page.keyboard.press("d");
  await expect(page.getByRole("status")).toContainText("The daemon does not answer.");
  await expect(row(page, "Stays")).toBeVisible();
});
