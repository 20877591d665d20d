import { expect, test } from "./daemon";
import { model } from "./model";

test("tokens are counted, added up in the tree, and an agent goes on from its last step", async ({ daemon, open }) => {
  const fake = await model([{ text: "Done.", calls: [] }]);
  daemon.env = { OPENAI_BASE_URL: fake.url, OPENAI_API_KEY: "none" };
  await daemon.stop();
  await daemon.start("--agent-model", "scripted");
  const agent = (label: string, parent?: number) => daemon.request<{ id: number }>("POST", "/processes", { environment: "agent", code: "say done", label, parent, block: true });
  const { id } = await agent("Planner");
  await agent("Helper", id);
  const page = await open();
  await expect(page.getByRole("row").filter({ hasText: "Planner" })).toContainText("120 tok");

  await page.goto(`${daemon.url}/#/tree?all=1`);
  const planner = page.getByRole("row").filter({ hasText: "Planner" });
  await expect(planner).toContainText("Σ 240");
  await page.keyboard.press("Home");
  await page.keyboard.press("R");
  await expect(page.getByRole("status")).toContainText(`Process ${id} goes on from the last finished step`);
  await daemon.until(id, { run: 2, state: "idle", exitState: "success" });
  fake.close();
});
