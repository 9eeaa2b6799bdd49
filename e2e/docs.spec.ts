import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { baseUrl, expect, open, test } from "./browser";

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, { operationId: string; summary: string; responses: Record<string, object> }>>;
}

const readDocument = async (page: Page): Promise<Document> => (await (await page.request.get("/api/v1/openapi.json")).json()) as Document;

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

test("the reference has each operation of the document, with a curl line that works and links to its errors", async ({ page }) => {
  await open(page, "/docs/api");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API reference");
  const document = await readDocument(page);
  expect(document.openapi).toBe("3.1.0");
  expect(document.servers[0]?.url).toBe(baseUrl());
  const operations = operationsOf(document);
  expect(operations.length).toBeGreaterThanOrEqual(8);
  for (const { path, method, operationId, summary } of operations) {
    const section = page.getByRole("region", { name: summary, exact: true });
    await expect(section, operationId).toBeVisible();
    const curl = await section.getByRole("region", { name: `curl, ${method.toUpperCase()} ${path}`, exact: true }).textContent();
    expect(curl).toContain(`${baseUrl()}${path.replace(/\{.*/, "")}`);
  }
  const links = await page
    .locator("main section a[href^='/docs/errors/']")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  expect(links.length).toBeGreaterThan(40);
  for (const href of new Set(links)) expect((await page.request.get(href ?? "")).status(), `${href}`).toBe(200);
});

test("a link in the reference's navigation leads to its operation, and the URL can be shared", async ({ page }) => {
  await open(page, "/docs/api");
  await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "GET /usage" }).click();
  await expect(page).toHaveURL(/\/docs\/api#getUsage$/);
  await expect(page.getByRole("heading", { name: "List charged requests" })).toBeInViewport();
  await expect(page.getByText("integer, 1 to 1,000, 100 if left out").first()).toBeVisible();
});

test("on a phone the navigation is collapsed and still works", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/docs");
  await page.getByText("On this page", { exact: true }).click();
  await page.getByRole("link", { name: "Billing", exact: true }).first().click();
  await expect(page.getByRole("heading", { name: "Billing" })).toBeInViewport();
});

test("the docs pages link to each other, and mark the current page", async ({ page }) => {
  await open(page, "/docs");
  const nav = page.getByRole("navigation", { name: "Docs", exact: true });
  await expect(nav.locator("[aria-current=page]")).toHaveText("Quick start");
  await nav.getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API reference");
  await expect(nav.locator("[aria-current=page]")).toHaveText("API reference");
});

test("a language can be chosen by mouse or arrow keys, and without JavaScript", async ({ page, browser }) => {
  await open(page, "/docs");
  const group = page.getByRole("group", { name: "Language and package" }).first();
  await expect(group.getByRole("region", { name: "TypeScript", exact: true })).toBeVisible();
  await group.getByText("openai · Python").click();
  await expect(group.getByRole("region", { name: "Python, with the openai package" })).toBeVisible();
  await expect(group.getByRole("region", { name: "TypeScript", exact: true })).toBeHidden();
  await page.keyboard.press("ArrowLeft");
  await expect(group.getByRole("region", { name: "Python", exact: true })).toBeVisible();

  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: baseUrl() });
  const still = await context.newPage();
  await still.goto("/docs");
  await still.getByText("Our client", { exact: true }).first().click();
  await expect(still.getByRole("region", { name: "TypeScript, with our client" })).toBeVisible();
  await context.close();
});

test("no docs page contains a working key", async ({ page }) => {
  const file = join(process.env.DATA_DIR ?? "", "sandbox.json");
  const { apiKey } = JSON.parse(readFileSync(file, "utf8")) as { apiKey: string };
  for (const path of ["/docs/api", "/llms.txt", "/api/v1/openapi.json"]) {
    expect(await (await page.request.get(path)).text()).not.toContain(apiKey);
  }
});

test("llms.txt says in plain text where to send requests, which models exist, and what they cost", async ({ page }) => {
  const answer = await page.request.get("/llms.txt");
  expect(answer.status()).toBe(200);
  expect(answer.headers()["content-type"]).toBe("text/plain; charset=utf-8");
  const text = await answer.text();
  expect(text).toMatch(/^# PennyPrompt\n\n> /);
  expect(text).toContain(`Base URL: ${baseUrl()}/api/v1`);
  for (const { path, method, summary } of operationsOf(await readDocument(page))) {
    expect(text).toContain(`- ${method.toUpperCase()} ${path}: ${summary}`);
  }
  const { data } = (await (await page.request.get("/api/v1/models")).json()) as { data: { id: string }[] };
  for (const { id } of data)
    expect(text).toMatch(new RegExp(`^- ${id.replaceAll(".", "\\.")}: [\\d.]+ in, [\\d.]+ out, context \\d+ tokens$`, "m"));
  for (const [, href] of text.matchAll(/\]\((\S+)\)/g)) expect((await page.request.get(href ?? "")).status(), href).toBe(200);
});
