import { expect, test } from "./daemon";

test("keys are shown, and go everywhere", async ({ open }) => {
  const page = await open();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toContainText("Kill, with proof");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  for (const [key, path] of [["t", "tree"], ["a", "approvals"], ["s", "supervisors"], ["o", "tools"], ["n", "new"], ["p", "processes"]]) {
    await page.locator("body").press("g");
    await page.locator("body").press(key!);
    await expect(page).toHaveURL(new RegExp(`#/${path}`));
    await page.getByRole("link", { name: "Reeve" }).focus(); // out of a field that a page may have taken
  }
});

test("colours: as the system, or as said, and said again after a reload", async ({ open }) => {
  const page = await open();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.keyboard.press("T"); // light
  await page.keyboard.press("T"); // dark
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await page.reload();
  expect(await ground()).toBe(dark);
  await page.keyboard.press("T"); // system
  await expect.poll(ground).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(ground).toBe(dark);
});

test("a token is asked for, sent, remembered only if asked to, and forgotten", async ({ daemon, open }) => {
  const id = await daemon.shell("true", { label: "Hidden from strangers", block: true });
  const token = (...scopes: string[]): string => /reeve_\w+|\S{20,}/.exec(daemon.cli("token", "create", ...scopes.flatMap((s) => ["--scope", s])))![0];
  const secret = token("read", "run");
  const page = await open();
  await expect(page.getByText("This daemon wants a token.")).toBeVisible();
  await page.getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toHaveText("The daemon does not know this token.");
  await page.getByLabel("Token").fill(secret);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "Hidden from strangers" })).toBeVisible();
  const later = await daemon.request<{ id: number }>("POST", "/processes", { environment: "command", code: "true", label: "Live" }, { Authorization: `Bearer ${secret}` });
  await expect(page.getByRole("link", { name: "Live" })).toBeVisible(); // the stream has it, too
  expect(later.id).toBe(id + 1);
  expect(page.url()).not.toContain(secret);
  expect(await page.evaluate(() => localStorage.getItem("reeve-token"))).toBeNull();
  await page.reload();
  await expect(page.getByRole("link", { name: "Live" })).toBeVisible(); // for this tab

  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await expect(page.getByText("This daemon wants a token.")).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem("reeve-token"))).toBeNull();

  await page.getByLabel("Token").fill(token("read"));
  await page.getByLabel("Remember it in this browser").check();
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Select all" }).check();
  await page.getByRole("button", { name: "Run again 2" }).click();
  await expect(page.getByRole("status")).toContainText("it lacks the scope run");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Prune…" }).click();
  await page.getByRole("button", { name: "Prune", exact: true }).click();
  await expect(page.getByRole("status")).toContainText('needs "admin"');
  expect(await page.evaluate(() => localStorage.getItem("reeve-token"))).not.toBeNull();
});

test("the palette finds processes, places and actions", async ({ daemon, open }) => {
  const id = await daemon.shell("true", { label: "Needle in the stack", block: true });
  await daemon.shell("true", { label: "Hay" });
  const page = await open();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("needle");
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/processes/${id}$`));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("go to tree");
  await expect(page.getByRole("option", { name: "Go to Tree" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#\/tree$/);
});

test("prune and about are in the menu", async ({ daemon, open }) => {
  await daemon.shell("echo line", { block: true });
  const page = await open();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "About Reeve" })).toContainText(daemon.data);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Prune…" }).click();
  await page.getByLabel("Events older than, in days").fill("0");
  await page.getByLabel("Logs older than, in days").fill("0");
  await page.getByRole("button", { name: "Prune", exact: true }).click();
  await expect(page.getByRole("status")).toContainText(/Pruned: [1-9]\d* events? and [1-9]\d* logs? removed/);
});

test("on a phone everything is in reach, without scrolling sideways", async ({ daemon, open, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await daemon.shell("exit 1", { label: "A rather long name of a process that does not fit on a phone by far", tags: ["one", "two", "three"] });
  await open();
  await expect(page.getByRole("link", { name: "A rather long" })).toBeVisible();
  for (const place of ["", "#/tree?all=1", "#/approvals", "#/supervisors", "#/tools", "#/new", "#/processes/1"]) {
    await open(place);
    await expect(page.getByRole("main")).not.toContainText("Loading…");
    expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(390);
  }
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Supervisors" }).click();
  await expect(page).toHaveURL(/#\/supervisors/);
});
