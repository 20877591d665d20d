import { expectClean } from "./clean";
import { expect, test } from "./daemon";

interface Supervisor {
  id: number;
  name: string;
  process: { state: string };
  children: { name: string; process: number }[];
}

const tree = `name: shop
children:
  - name: db
    command: {program: sleep, args: ["1000"]}
  - name: flaky
    restart: transient
    backoff: 1
    command: {program: sleep, args: ["1000"]}
`;

test("a tree is described in YAML; a mistake is said with its line, and marked", async ({ daemon, open }) => {
  const page = await open("#/new?kind=supervisor");
  const editor = page.getByRole("textbox", { name: "Supervision tree in YAML" });
  await page.getByRole("button", { name: "Start from an example" }).click();
  await page.getByRole("button", { name: "Start and watch" }).click();
  await expect(page).toHaveURL(/#\/processes\/1/);
  expect((await daemon.request<Supervisor>("GET", "/supervisors/1")).children.map((c) => c.name)).toEqual(["clock", "once"]);
  await page.goBack();
  await page.getByRole("button", { name: "Clear" }).click();
  await editor.click();
  await page.keyboard.insertText(tree);
  await page.getByRole("button", { name: "Start and watch" }).click();
  await expect(page.getByRole("alert").getByText(/backoff: is not a field here/)).toBeVisible();
  await expect(page.locator(".cm-wrong")).toHaveText(/backoff: 1/);
  await expectClean(page);
  await page.getByRole("button", { name: "Clear" }).click();
  await editor.click();
  await page.keyboard.insertText(tree.replace("    backoff: 1\n", ""));
  await page.keyboard.press("Control+Enter");
  await expect(page).toHaveURL(/#\/processes\/\d+/);
  const [newest] = (await daemon.request<{ supervisors: Supervisor[] }>("GET", "/supervisors")).supervisors;
  expect(newest!.children.map((c) => c.name)).toEqual(["db", "flaky"]);
});

test("a tree is watched, ended with proof and deleted", async ({ daemon, open }) => {
  const sleep = { program: "sleep", args: ["1000"] };
  const made = await daemon.request<Supervisor>("POST", "/supervisors", { name: "shop", children: [{ name: "db", command: sleep }, { name: "flaky", restart: "transient", command: sleep }] });
  const page = await open("#/supervisors");
  const shop = page.getByRole("listitem").filter({ hasText: "1 shop" });
  await expect(shop.getByRole("row", { name: /db .*running 0 permanent 1/ })).toBeVisible();
  const flaky = made.children.find((c) => c.name === "flaky")!.process;
  const { events } = await daemon.request<{ events: { kind: string; pid: number }[] }>("GET", `/processes/${flaky}/events`);
  process.kill(events.find((e) => e.kind === "process_started")!.pid, "SIGKILL"); // a failure, so it is run again
  await expect(shop.getByRole("row", { name: /flaky .*running 1 transient 2/ })).toBeVisible();
  await expectClean(page);

  await shop.getByRole("button", { name: "End shop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
  await expect(page.getByText("3 processes ended, 0 left")).toBeVisible();
  await expect(shop.getByRole("row", { name: /db .*canceled/ })).toBeVisible();
  expect((await daemon.request<Supervisor>("GET", "/supervisors/1")).process.state).toBe("idle");

  await shop.getByRole("button", { name: "Delete shop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("There is none.")).toBeVisible();
  expect((await daemon.request<{ processes: unknown[] }>("GET", "/processes")).processes).toEqual([]);
});
