import { defineConfig } from "@playwright/test";

// Debian's chromium, or another one by REEVE_CHROMIUM.
export default defineConfig({
  testDir: "tests",
  workers: 2,
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  outputDir: process.env.REEVE_WEB_RESULTS ?? "test-results",
  globalSetup: "./tests/build.ts",
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    launchOptions: {
      executablePath: process.env.REEVE_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--no-first-run"],
    },
  },
});
