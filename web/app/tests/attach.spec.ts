import { expectClean } from "./clean";
import { expect, test } from "./daemon";

test("a terminal: keys in, screen out, its size, and a way out", async ({ daemon, open }) => {
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-i"], pty: true, window: { rows: 24, cols: 80 }, env: { PS1: "ready> " } } });
  const page = await open(`#/processes/${id}/terminal`);
  const screen = page.locator(".xterm-rows");
  await expect(screen).toContainText("ready>");
  await expectClean(page, "terminal");
  await page.locator(".xterm-helper-textarea").pressSequentially("echo $((6*7)) and more; stty size\n");
  await expect(screen).toContainText("42 and more");
  await expect(screen).not.toContainText("24 80"); // it is as large as the page lets it be
  await expect.poll(async () => ((await daemon.request<{ stdout: string }>("GET", `/processes/${id}`)).stdout.match(/\d+ \d+\r/) ?? [])[0]).toMatch(/^\d{2} \d{3}/);

  await daemon.crash(); // the terminal belongs to the keeper
  await daemon.start();
  await page.locator(".xterm-helper-textarea").pressSequentially("echo still here\n");
  await expect(screen).toContainText("still here");
  await page.keyboard.press("Control+]");
  await expect(page).toHaveURL(new RegExp(`#/processes/${id}/output$`));
  await page.getByRole("link", { name: "Terminal" }).first().click();
  await expect(screen).toContainText("42 and more");
  await page.locator(".xterm-helper-textarea").pressSequentially("exit\n");
  await expect(page.getByText("The process has ended.")).toBeVisible();
});

test("a question is answered", async ({ daemon, open }) => {
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", "printf 'Password: '; read x; echo \"got ${#x}\""], stdinOpen: true } });
  const page = await open(`#/processes/${id}/output`);
  await expect(page.getByText("It asks: Password:")).toBeVisible();
  const box = page.getByLabel("Answer to: Password:");
  await expect(box).toHaveAttribute("type", "password");
  await box.fill("secret");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("got 6")).toBeVisible();
  await daemon.until(id, { exitState: "success" });
  expect(page.url()).not.toContain("secret");
});
