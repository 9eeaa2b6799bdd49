// Attacks by strangers: signed texts reused or changed, forged sessions, other sites, other accounts' keys.

import { createServer } from "node:http";
import type { APIRequestContext, Browser, BrowserContext, Page, Request } from "@playwright/test";
import { newWallet, prove, type TestWallet } from "@/lib/console/testing/wallets";
import { baseUrl, expect, open, test } from "./browser";
import { demoWallet, fetchChallenge, readSession, signIn, submitProof } from "./sign-in";

const COOKIE = "next-auth.session-token";
const evil = "https://evil.example";

/** Signs a changed text with a real key, and submits it. */
async function submitChanged(request: APIRequestContext, wallet: TestWallet, change: (text: string) => string) {
  const challenge = await fetchChallenge(request, wallet);
  const message = change(challenge.text);
  return submitProof(request, { ...(await prove(wallet, challenge)), message, signature: await wallet.sign(message) });
}

for (const chain of ["evm", "solana"] as const) {
  test(`a signature on ${chain} is valid once, for this domain and this chain only`, async ({ context }) => {
    const { request } = context;
    const wallet = newWallet(chain);
    const host = new URL(baseUrl()).host;
    expect((await submitChanged(request, wallet, (text) => text.replace(`${host} wants`, "evil.example wants"))).error).toBe(
      "message_changed:domain",
    );
    expect((await submitChanged(request, wallet, (text) => text.replace(/URI: .+/, `URI: ${evil}`))).error).toBe("message_changed:uri");
    expect((await submitChanged(request, wallet, (text) => text.replace(/Chain ID: .+/, "Chain ID: 1"))).error).toBe(
      "message_changed:chain_id",
    );
    const stranger = await prove(newWallet(chain), await fetchChallenge(request, wallet));
    expect((await submitProof(request, { ...stranger, address: wallet.address })).error).toBe("bad_signature");
    expect(await readSession(context)).toEqual({});

    const proof = await prove(wallet, await fetchChallenge(request, wallet));
    expect(await submitProof(request, proof)).toEqual({ status: 200, error: null });
    await context.clearCookies();
    expect(await submitProof(request, proof)).toEqual({ status: 401, error: "nonce_unknown" });
    expect(await readSession(context)).toEqual({});
  });
}

test("a forged, truncated or changed session cookie leads to sign-in", async ({ page, context, watch }) => {
  await signIn(context, newWallet("evm"));
  // Nothing of the console is left for the back button of whoever comes next.
  const own = await context.request.get("/keys");
  expect([own.status(), own.headers()["cache-control"]]).toEqual([200, expect.stringContaining("no-store")]);
  const token = (await context.cookies()).find(({ name }) => name === COOKIE)?.value ?? "";
  expect(token.length).toBeGreaterThan(20);
  const forged = [
    token.slice(0, -4),
    `${token.slice(0, -1)}${token.endsWith("A") ? "E" : "A"}`,
    token.toUpperCase(),
    "undefined",
    "%00%ff%",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY2NfMSJ9.",
    "' OR 1=1 --",
    "x".repeat(3_000),
  ];
  for (const value of forged) {
    await context.clearCookies();
    await context.addCookies([{ name: COOKIE, value: encodeURIComponent(value), url: baseUrl() }]);
    const answer = await context.request.get("/keys", { maxRedirects: 0 });
    expect([answer.status(), answer.headers().location], value).toEqual([307, "/connect?next=%2Fkeys"]);
    expect(await readSession(context), value).toEqual({});
    const quoted = await context.request.post("/playground/quote", { headers: { origin: baseUrl() }, data: {} });
    expect(quoted.status(), value).toBe(401);
  }
  await page.goto("/keys");
  await expect(page).toHaveURL("/connect?next=%2Fkeys");
  expect(watch.faults).toEqual([]);
});

test("another site's page cannot sign in, sign out, send a prompt or act, even with the session's cookie", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  const action = await catchAction(page, async () => {
    await open(page, "/alerts");
    await page.getByLabel("Alert me when my balance falls below").fill("1");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved. We’ll alert you when your balance falls below $1.")).toBeVisible();
  });
  const wallet = newWallet("evm");
  const proof = await prove(wallet, await fetchChallenge(context.request, wallet));
  for (const origin of [evil, "null", baseUrl().replace("http:", "https:"), `${baseUrl()}.evil.example`, baseUrl().replace(/\d+$/, "1")]) {
    const headers = { origin, "content-type": "application/json" };
    const post = (path: string, data: object) => context.request.post(path, { headers, data });
    expect((await post("/api/auth/challenge", { chain: "evm", address: wallet.address })).status(), origin).toBe(403);
    expect((await post("/playground/answer", { model: "gpt-4o", prompt: "x" })).status(), origin).toBe(403);
    expect((await post("/playground/quote", { model: "gpt-4o", prompt: "x" })).status(), origin).toBe(403);
    expect(await submitProof(context.request, proof, origin), origin).toEqual({ status: 403, error: "wrong_origin" });
    const { csrfToken } = await (await context.request.get("/api/auth/csrf")).json();
    const leave = await context.request.post("/api/auth/signout", { headers: { origin }, form: { csrfToken, json: "true" } });
    expect(leave.status(), origin).toBe(403);
    const changed = action.body.replace('"1"', '"2"');
    // Next compares hosts only; over another scheme browsers do not send the session's cookie at all.
    if (new URL(baseUrl()).host === hostOf(origin)) continue;
    const acted = await context.request.post("/alerts", { headers: { ...action.headers, origin }, data: changed, maxRedirects: 0 });
    expect(acted.status(), origin).toBeGreaterThanOrEqual(400);
  }
  expect(await readSession(context)).not.toEqual({});
  await open(page, "/usage");
  await expect(page.getByText("No requests yet")).toBeVisible();
  await open(page, "/alerts");
  await expect(page.getByLabel("Alert me when my balance falls below")).toHaveValue("1");
});

test("another site's page cannot frame ours", async ({ page, context, watch }) => {
  watch.expect(/frame-ancestors|X-Frame-Options|refused to connect|ERR_BLOCKED_BY_RESPONSE|chrome-error/i);
  watch.expect(/^request to another host: https:\/\/evil\.example\//);
  await signIn(context, demoWallet());
  await context.route(`${evil}/**`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<iframe src="${baseUrl()}/keys"></iframe><iframe src="${baseUrl()}/"></iframe>` }),
  );
  await page.goto(`${evil}/`);
  await expect.poll(() => page.frames().length).toBe(3);
  await page.waitForLoadState("networkidle");
  for (const frame of page.frames().slice(1)) {
    expect(await frame.evaluate(() => document.body.textContent ?? "")).not.toMatch(/PennyPrompt|API keys/);
  }
});

test("an action with another account's key changes nothing, and reports that", async ({ page, context, browser, watch }) => {
  watch.expect(/ERR_FAILED/); // the intercepted request
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Of the owner");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = (await dialog.getByRole("region", { name: "The new key" }).locator("code").textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await expect(dialog).toBeHidden();

  // The owner's own actions, as their browser sends them; replayed by a signed-in stranger, and without a session.
  const rename = await catchAction(page, () => actOnKey(page, "Of the owner", "Rename"));
  const pause = await catchAction(page, () => actOnKey(page, "Mine", "Pause"));
  const resume = await catchAction(page, () => actOnKey(page, "Mine", "Resume"));
  const revoke = { ...pause, headers: { ...pause.headers, "next-action": await revokeActionId(page) } };
  expect(rename.body).toContain('"keyId"');
  const stranger = await signedInStranger(browser);
  const session = /ses_[0-9A-Za-z]+/;
  const [strangersSession = ""] = session.exec(await (await stranger.request.get("/keys")).text()) ?? [];
  for (const [name, action] of Object.entries({ rename, pause, resume, revoke })) {
    const { headers, body } = action;
    expect(body, name).toMatch(session);
    const stolen = body.replace("Mine", "Stolen");
    // As the owner's page sent it, and as a page of the stranger's own session would.
    for (const [data, why] of [
      [stolen, "another wallet in another tab"],
      [stolen.replace(session, strangersSession), "Key not found"],
    ] as const) {
      const answer = await stranger.request.post("/keys", { headers, data });
      expect(answer.status(), name).toBe(200);
      const text = await answer.text();
      expect(text, name).toMatch(/"ok":false,"message":"[A-Z][^"]+\."/);
      expect(text, name).toContain(why);
    }
    const signedOut = await fetch(`${baseUrl()}/keys`, { method: "POST", headers, body, redirect: "manual" });
    expect(signedOut.headers.get("x-action-redirect"), name).toMatch(/^\/connect\?next=%2Fkeys/);
  }
  await stranger.close();
  await page.reload();
  await expect(page.getByRole("row", { name: "Mine" })).toContainText("active");
  expect((await fetch(`${baseUrl()}/api/v1/balance`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : origin);

test("an action sent to another page than its own still runs, and is forwarded to no other server", async ({ page, context }) => {
  await signIn(context, newWallet("evm"));
  await open(page, "/keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("First");
  await dialog.getByLabel("Amount in USD", { exact: true }).fill("2"); // both fit without a signature
  const { headers, body } = await catchAction(page, async () => {
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("button", { name: "I have stored it" }).click();
  });
  // Next's default address for itself: a server there must receive nothing.
  const heard: string[] = [];
  const eavesdropper = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.end();
  }).on("error", () => undefined); // the port may be taken by an unrelated program
  eavesdropper.listen(3_000, "127.0.0.1");
  try {
    const answer = await context.request.post("/usage", { headers, data: body.replace("First", "Second") });
    expect(await answer.text()).toContain('"ok":true');
    expect(heard).toEqual([]);
  } finally {
    eavesdropper.close();
  }
  await page.reload();
  await expect(page.getByRole("row", { name: "Second" })).toBeVisible();
});

async function signedInStranger(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: baseUrl() });
  await signIn(context, newWallet("evm"));
  return context;
}

interface CaughtAction {
  /** Without the cookie. */
  headers: Record<string, string>;
  body: string;
}

const isAction = (request: Request) => request.method() === "POST" && "next-action" in request.headers();

/** The server action that `act` makes the page send. */
async function catchAction(page: Page, act: () => Promise<void>): Promise<CaughtAction> {
  const [request] = await Promise.all([page.waitForRequest(isAction), act()]);
  const { cookie: _, ...headers } = request.headers();
  return { headers: { ...headers, origin: baseUrl() }, body: request.postData() ?? "" };
}

async function actOnKey(page: Page, name: string, action: "Rename" | "Pause" | "Resume"): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
  if (action !== "Rename") return expect(page.getByText(`${action}d. Calls with this key`)).toBeVisible();
  await page.getByRole("dialog").getByLabel("Name").fill("Mine");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  return expect(page.getByText("Renamed.")).toBeVisible();
}

/** The id of the revoke action, from a request that is aborted before it arrives. */
async function revokeActionId(page: Page): Promise<string> {
  await page.route("**/keys", (route) => (isAction(route.request()) ? route.abort() : route.continue()));
  const stopped = page.waitForEvent("requestfailed", isAction);
  const { headers } = await catchAction(page, async () => {
    await page.getByRole("button", { name: "Actions for Mine" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Revoke key" }).click();
  });
  await stopped;
  await page.unroute("**/keys");
  return headers["next-action"] ?? "";
}
