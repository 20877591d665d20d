import { expect, test } from "./daemon";

test("a process is seen, and its output", async ({ daemon, open }) => {
  const id = await daemon.shell("echo hello; echo there >&2", { label: "greeting" });
  const page = await open();
  await page.getByRole("link", { name: "greeting" }).click();
  await expect(page).toHaveURL(new RegExp(`#/processes/${id}$`));
  await expect(page.getByText("hello")).toBeVisible();
});
