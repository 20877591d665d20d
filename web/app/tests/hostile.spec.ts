// What programs, links and third parties say is not to be trusted: it is shown,
// and does nothing.
import { parameters, typeText } from "../src/tools/schema";
import { expect, test } from "./daemon";

const odd = ["#/%E0%A4%A", "#/processes/%", "#/constructor", "#/__proto__", "#/processes?sort=__proto__", "#/processes?sort=-constructor", "#/processes/1/__proto__", "#/processes/1/events?kind=__proto__"];

test("an odd link leads to a page, not to a blank one", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "Here", block: true });
  for (const hash of odd) {
    const page = await open(hash);
    await page.reload(); // as when it is opened anew
    await expect(page.getByRole("link", { name: "Reeve" }), hash).toBeVisible();
    await expect(page.getByRole("main"), hash).toHaveText(/\S/);
  }
  const page = await open("#/processes?sort=__proto__");
  await expect(page.getByRole("link", { name: "Here" })).toBeVisible();
});

test("names that turn the text around are spelled out", async ({ daemon, open }) => {
  await daemon.shell("true", { label: "\u202egnp.exe\u202c\u200b<img src=x onerror=alert(1)>", ref: "a\u2066b", tags: ["t\u202eag"], block: true });
  const page = await open();
  const row = page.getByRole("row").nth(1);
  await expect(row).toContainText("\\u202egnp.exe\\u202c\\u200b<img src=x onerror=alert(1)>");
  expect(await row.innerText()).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("\\u202egnp");
  expect(await page.title()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test("an output of 20 000 fields, and one that is very deep, leave the page alive", async ({ daemon, open }) => {
  const wide = (await daemon.request<{ id: number }>("POST", "/processes", { code: `const o = {}; for (let i = 0; i < 20000; i++) o["k" + i] = i; o["__proto__x"] = 1; reeve.output(o);`, block: true })).id;
  const page = await open(`#/processes/${wide}/structured`);
  await expect(page.getByText("k0", { exact: true })).toBeVisible();
  expect(await page.locator("main *").count()).toBeLessThan(3000);
  const deep = (await daemon.request<{ id: number }>("POST", "/processes", { code: `let o = {}; for (let i = 0; i < 200; i++) o = { o }; reeve.output({ o, list: JSON.parse('{"__proto__":{"polluted":true}}') });`, block: true })).id;
  await open(`#/processes/${deep}/structured`);
  await expect(page.getByText("list", { exact: true })).toBeVisible();
  expect(await page.evaluate(() => ({}) as { polluted?: boolean }).then((o) => o.polluted)).toBeUndefined();
  await open(`#/processes/${wide}/events`);
  await expect(page.getByRole("button", { name: "output_merged" })).toBeVisible();
  expect(await page.evaluate(() => document.querySelector("main")!.textContent!.length)).toBeLessThan(20_000);
});

test("control strings that never end cost no time", async ({ daemon, open }) => {
  const id = await daemon.shell(`python3 -c "
for i in range(60): print('\\u009d' * 20000 + '\\u001bX', i)
print('the last line')" || true`, { block: true });
  const page = await open(`#/processes/${id}/output`);
  await expect(page.getByText("the last line")).toBeVisible();
  await page.keyboard.press("/");
  const began = Date.now();
  await page.keyboard.type("the last");
  await expect(page.getByText("1 of 1 line")).toBeVisible();
  expect(Date.now() - began).toBeLessThan(3000); // the square of it takes ten times that
});

test("a terminal does not answer again what was asked before it was there", async ({ daemon, open }) => {
  const script = "stty -echo raw; printf '\\033[c\\033[6nasked'; head -c 3 | od -c";
  const id = await daemon.shell("", { code: undefined, command: { program: "sh", args: ["-c", script], pty: true } });
  await expect.poll(async () => (await daemon.request<{ stdout: string }>("GET", `/processes/${id}`)).stdout).toContain("asked");
  const page = await open(`#/processes/${id}/terminal`);
  await expect(page.locator(".xterm-rows")).toContainText("asked");
  await page.locator(".xterm-helper-textarea").pressSequentially("xyz");
  await daemon.until(id, { exitState: "success" });
  expect((await daemon.request<{ stdout: string }>("GET", `/processes/${id}`)).stdout).toMatch(/x\s+y\s+z/);
});

test("a schema that refers to itself everywhere has an end", () => {
  const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { $ref: "#" }]));
  const schema = { type: "object", properties };
  const flat = (all: ReturnType<typeof parameters>): number => all.reduce((n, p) => n + 1 + flat(p.inner), 0);
  expect(flat(parameters(schema))).toBeLessThanOrEqual(500);
  expect(typeText({ anyOf: Array.from({ length: 60 }, () => ({ $ref: "#" })) }).length).toBeLessThan(2000);
});

test("a guide full of beginnings is shown at once", async ({ open, page }) => {
  await page.route("**/environments/*/docs", (route) => route.fulfill({ contentType: "text/markdown", body: "[".repeat(150_000) + "\n\nthe end [x](javascript:alert)" }));
  await open("#/new?kind=typescript");
  await expect(page.getByText("the end x")).toBeVisible({ timeout: 4000 });
  await expect(page.locator("a[href^=javascript]")).toHaveCount(0);
});

test("a line of 10 MB without an end leaves the page alive", async ({ daemon, open }) => {
  const id = await daemon.shell("head -c 10000000 /dev/zero | tr '\\0' x; echo; echo after; printf 'no end'; sleep 100");
  const page = await open(`#/processes/${id}/output`);
  await expect(page.getByText("after", { exact: true })).toBeVisible();
  await expect(page.getByText("no end", { exact: true })).toBeVisible();
  await expect(async () => { // rows may still move while the last ones come
    await page.getByRole("button", { name: /more characters/ }).first().click({ timeout: 1000 });
    await expect(page.getByRole("dialog", { name: "The whole line" })).toBeVisible({ timeout: 1000 });
  }).toPass();
  expect(await page.evaluate(() => document.body.textContent!.length)).toBeLessThan(400_000);
});

test("a daemon that dies while the page begins is waited for", async ({ daemon, open, page }) => {
  await daemon.shell("true", { label: "Patience", block: true });
  let died = false;
  await page.route(/\/overview|\/processes\?/, async (route) => {
    if (died) return route.continue();
    died = true;
    await daemon.crash();
    await route.abort();
    await daemon.start();
  });
  await open();
  await expect(page.getByRole("link", { name: "Patience" })).toBeVisible();
  await daemon.shell("true", { label: "Afterwards" });
  await expect(page.getByRole("link", { name: "Afterwards" })).toBeVisible();
});
