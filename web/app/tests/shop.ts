// A daemon with tools: a small shop, described by OpenAPI. Looking is allowed,
// deleting asks a person, making is denied.
import { createServer, type Server } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { Daemon, expect, test as base } from "./daemon";

const document = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1", description: "A shop for pets." },
  paths: {
    "/pets/{id}": {
      parameters: [{ name: "id", in: "path", required: true, description: "Which pet.", schema: { type: "integer" } }],
      get: { operationId: "get_pet", summary: "Gets a pet.", responses: { "200": { description: "ok" } } },
      delete: { operationId: "delete_pet", summary: "Deletes a pet for ever.", parameters: [{ name: "note", in: "query", schema: { type: "string" } }], responses: { "200": { description: "ok" } } },
    },
    "/pets/delete": {
      post: {
        operationId: "delete_many",
        summary: "Deletes many at once.",
        requestBody: { required: true, content: { "application/json": { schema: { type: "object", required: ["ids"], properties: { ids: { type: "array", items: { type: "integer" } } } } } } },
        responses: { "200": { description: "ok" } },
      },
    },
    "/pets": {
      post: {
        operationId: "create_pet",
        summary: "Makes a pet.",
        requestBody: { required: true, content: { "application/json": { schema: { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 1 }, age: { type: "integer", minimum: 0, description: "In years." } } } } } },
        responses: { "200": { description: "ok" } },
      },
    },
  },
};

export class Shop {
  readonly calls: string[] = [];
  private server: Server = createServer((request, response) => {
    this.calls.push(`${request.method} ${request.url}`);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ done: request.url }));
  });

  /** Opens it, and returns the flags of a daemon that has its tools. */
  async open(folder: string): Promise<string[]> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    writeFileSync(join(folder, "shop.json"), JSON.stringify(document));
    const services = { shop: { adapter: "openapi", document: "shop.json", url } };
    const policy = [{ ask: "shop/delete_*" }, { deny: "shop/create_*" }, { allow: "*" }];
    writeFileSync(join(folder, "tools.yaml"), JSON.stringify({ services, policy })); // JSON is YAML
    return ["--tools", join(folder, "tools.yaml")];
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A test with a shop, and a daemon that has its tools. */
export const test = base.extend<{ shop: Shop }>({
  shop: async ({}, use) => {
    const shop = new Shop();
    await use(shop);
    shop.close();
  },
  daemon: async ({ shop }, use) => {
    const daemon = new Daemon();
    await daemon.start(...(await shop.open(daemon.data)));
    await expect.poll(async () => (await daemon.request<{ services: { state: string }[] }>("GET", "/services")).services.map((s) => s.state)).toEqual(["ready", "ready"]);
    await use(daemon);
    await daemon.close();
  },
});

export { expect };
