import { expect, test } from "./daemon";

const work = `trap 'echo interrupted' INT; echo '   Compiling app v1.0.0'; read a; echo '    Finished \`dev\` profile in 1.0s'; echo '     Running \`app\`'; read b || read b; read c || read c; exit 0`;

test("phases, pauses and signals on one axis, live", async ({ daemon, open }) => {
  const id = await daemon.shell("", { code: undefined, command: { program: "bash", args: ["-c", work], stdinOpen: true }, interpreter: "cargo" });
  const answer = (text: string): Promise<Response> => fetch(`${daemon.url}/processes/${id}/input`, { method: "POST", body: text });
  const page = await open(`#/processes/${id}/timeline`);
  const item = (name: RegExp) => page.getByRole("button", { name });
  await expect(item(/^Phases: Compiling app v1.0.0, at .*, going on/)).toBeVisible();
  await answer("a\n");
  await expect(item(/^Phases: Compiling app v1.0.0, at .*, for/)).toBeVisible();
  await expect(item(/^Phases: app, at .*, going on/)).toBeVisible();
  await daemon.request("POST", `/processes/${id}/signals/pause`);
  await expect(item(/^Pauses: Paused, at .*, going on/)).toBeVisible();
  await daemon.request("POST", `/processes/${id}/signals/resume`);
  await expect(item(/^Pauses: Paused, at .*, for/)).toBeVisible();
  await answer("b\n");
  await daemon.request("POST", `/processes/${id}/signals/int`);
  await expect(item(/^Signals: SIGINT/)).toBeVisible();

  const pause = item(/^Pauses: Paused/);
  const length = async (): Promise<number> => Number(/([\d.]+) m?s/.exec((await page.locator(".timeline .tools-line").innerText()) ?? "")![1]);
  const whole = await length();
  await page.keyboard.press("+");
  await expect(page.getByRole("button", { name: "All", exact: true })).toBeEnabled();
  expect(await length()).not.toBe(whole);
  await page.keyboard.press("0");
  await expect(page.getByRole("button", { name: "All", exact: true })).toBeDisabled();
  await page.locator(".chart").hover();
  await page.mouse.wheel(0, -200);
  await expect(page.getByRole("button", { name: "All", exact: true })).toBeEnabled();
  await page.keyboard.press("0");

  await pause.hover();
  await expect(page.locator(".timeline-details")).toContainText("Pauses: Paused");
  await page.mouse.move(0, 0);
  await page.keyboard.press("j");
  await expect(page.locator(".timeline-details")).toContainText("Run: Queued");
  await answer("c\n");
  await expect(item(/^Run: Run 1, .*succeeded/)).toBeVisible();
  await page.keyboard.press("a");
  await expect(page).toHaveURL(/as=table/);
  await expect(page.getByRole("row").filter({ hasText: "Pauses" })).toContainText("Paused");
});

test("tool calls and children, with a way to them", async ({ daemon, open }) => {
  const { id } = await daemon.request<{ id: number }>("POST", "/processes", {
    environment: "typescript", block: true,
    code: "const child = await reeve.spawn({ code: 'console.log(1)', label: 'the little one' }); await reeve.services.reeve.tools.search({ query: 'spawn' });",
    options: { tools: ["reeve/*"] },
  });
  const page = await open(`#/processes/${id}/timeline`);
  await expect(page.getByRole("button", { name: /^Tools: reeve\/search/ })).toBeVisible();
  await page.getByRole("button", { name: /^Children: \d+ the little one/ }).click();
  await page.getByRole("link", { name: /^Open process/ }).click();
  await expect(page.getByRole("heading", { name: "the little one" })).toBeVisible();
});
