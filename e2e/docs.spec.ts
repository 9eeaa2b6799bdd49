import type { Page } from "@playwright/test";
import { expectAccessible } from "./axe";
import { arriveAt, baseUrl, expect, open, test } from "./browser";
import { readSandbox } from "./sign-in";

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

test("the reference has a page for each operation of the document, with a curl line that works and links to its errors", async ({
  page,
}) => {
  await open(page, "/docs/api");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API reference");
  const document = await readDocument(page);
  expect(document.openapi).toBe("3.1.0");
  expect(document.servers[0]?.url).toBe(baseUrl());
  const operations = operationsOf(document);
  expect(operations.length).toBeGreaterThanOrEqual(8);
  const errors = new Set<string>();
  for (const { path, method, operationId, summary } of operations) {
    const link = page.getByRole("main").getByRole("link", { name: `${summary} ${method.toUpperCase()} ${path}`, exact: true });
    await expect(link, operationId).toHaveAttribute("href", `/docs/api/${operationId}`);
    const html = await (await page.request.get(`/docs/api/${operationId}`)).text();
    expect(html, operationId).toContain(`curl -s ${path.includes("{") || method === "get" ? "" : baseUrl() + path}`);
    for (const [, code = ""] of html.matchAll(/href="\/docs\/errors\/([A-Z_]+)"/g)) errors.add(code);
  }
  expect(errors.size).toBeGreaterThan(15);
  for (const code of errors) expect((await page.request.get(`/docs/errors/${code}`)).status(), code).toBe(200);
  expect((await page.request.get("/docs/api/noSuchOperation")).status()).toBe(404);
});

test("links to the reference from when it was one page lead to the operation's page and part", async ({ page }) => {
  await open(page, "/docs/api#getUsage");
  await arriveAt(page, /\/docs\/api\/getUsage$/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("List charged requests");
  await expect(page.getByText("integer, 1 to 1,000, default 100").first()).toBeVisible();
  await open(page, "/docs/api#createPrompt-errors");
  await arriveAt(page, /\/docs\/api\/createPrompt#errors$/);
  await expect(page.getByRole("heading", { name: "Errors" })).toBeInViewport();
});

test("on a phone the menus are collapsed, work, and are accessible when open", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/docs");
  await page.getByText("On this page", { exact: true }).filter({ visible: true }).click();
  await page.getByRole("link", { name: "Billing", exact: true }).filter({ visible: true }).first().click();
  await expect(page.getByRole("heading", { name: "Billing" })).toBeInViewport();
  await page.getByText("Docs: Quick start").click();
  await expectAccessible(page, "the docs' menu, open on a phone");
  await page.getByRole("navigation", { name: "Docs menu" }).getByRole("link", { name: "Privacy" }).click();
  await arriveAt(page, /\/docs\/privacy$/);
  await expect(page.getByRole("navigation", { name: "Docs menu" })).toBeHidden();
});

test("the docs pages link to each other by group, before and after, and mark the current page", async ({ page }) => {
  await open(page, "/docs");
  const nav = page.getByRole("navigation", { name: "Docs", exact: true });
  await expect(nav.locator("[aria-current=page]")).toHaveText("Quick start");
  for (const group of ["Get started", "Clients", "API", "Money", "Account"])
    await expect(nav.getByText(group, { exact: true }).first()).toBeVisible();
  await page.getByRole("navigation", { name: "Previous and next page" }).getByRole("link", { name: "Next Claude Code" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Claude Code");
  await nav.getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API reference");
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Get the balance/ })
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Get the balance");
  await expect(nav.locator("[aria-current=page]")).toHaveText("Get the balance");
  await expect(nav.locator("[aria-current=true]")).toHaveText("API reference");
});

test("a page is also Markdown, with its headings and its code, at .md and for who prefers it", async ({ page, context }) => {
  await open(page, "/docs/deposits");
  const headings = await page.getByRole("main").getByRole("heading").allTextContents();
  const code = (await page.locator("main pre").allTextContents()).map((text) => text.trimEnd());
  const answer = await page.request.get("/docs/deposits.md");
  expect(answer.headers()["content-type"]).toBe("text/markdown; charset=utf-8");
  const markdown = await answer.text();
  for (const heading of headings) expect(markdown).toMatch(new RegExp(`^#+ ${heading}$`, "m"));
  for (const text of code) expect(markdown).toContain(text);
  expect(code.length).toBeGreaterThan(0);
  expect(await (await page.request.get("/docs/deposits", { headers: { accept: "text/markdown, text/html;q=0.5" } })).text()).toBe(markdown);
  expect(await (await page.request.get("/docs/deposits", { headers: { accept: "text/html" } })).text()).toContain("<!DOCTYPE html>");
  expect((await page.request.get("/docs.md")).status()).toBe(200);
  expect((await page.request.get("/docs/api/createPrompt.md")).status()).toBe(200);
  expect((await page.request.get("/docs/no-such-page.md")).status()).toBe(404);
  expect(await (await page.request.get("/llms-full.txt")).text()).toContain(markdown.trim());
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy for your agent" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(markdown);
});

test("Try it sends the request with the reader's key, shows the answer and its charge, and keeps the key nowhere", async ({
  page,
  watch,
}) => {
  watch.expect(/status of 401/);
  await open(page, "/docs/api/createPrompt");
  await page.getByRole("button", { name: "Try it" }).click();
  const form = page.getByRole("form", { name: "Try it" });
  await expect(form.getByLabel("API key")).toBeFocused();
  await form.getByRole("button", { name: "Send request" }).click();
  await expect(form.getByText("Enter an API key. It starts with pp_.")).toBeVisible();
  await expect(form.getByLabel("API key")).toBeFocused();
  await form.getByLabel("API key").fill("pp_wrong");
  await form.getByLabel("API key").press("Enter");
  await expect(page.getByText(/^401 in \d+ ms\. Not charged\.$/)).toBeVisible();
  await expect(page.getByRole("region", { name: "Body", exact: true })).toContainText("INVALID_API_KEY");
  await expectAccessible(page, "Try it with an error");

  const { apiKey } = readSandbox();
  await form.getByLabel("API key").fill(apiKey);
  await form.getByLabel("Body").fill('{"model":');
  await form.getByRole("button", { name: "Send request" }).click();
  await expect(form.getByText("The body is not valid JSON.")).toBeVisible();
  await form.getByLabel("Body").fill('{"model":"gpt-4-turbo","prompt":"What is a nano-dollar?"}');
  await form.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByText(/^200 in \d+ ms\. Charged \$0\.\d+\.$/)).toBeVisible();
  const body = JSON.parse((await page.getByRole("region", { name: "Body", exact: true }).textContent()) ?? "") as {
    cost: { totalCost: number };
  };
  await expect(page.getByText(`Charged $${body.cost.totalCost}`)).toBeVisible();
  await expectAccessible(page, "Try it with an answer");
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state]),
  );
  expect(kept).not.toContain(apiKey);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);

  await open(page, "/docs/api/createX402Prompt");
  await expect(page.getByText("You can’t send this request from here")).toBeVisible();
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
  const { apiKey } = readSandbox();
  for (const path of ["/docs/api", "/docs/api/createPrompt", "/llms.txt", "/llms-full.txt", "/search.json", "/api/v1/openapi.json"]) {
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
