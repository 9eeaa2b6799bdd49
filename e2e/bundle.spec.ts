import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baseUrl, expect, test } from "./browser";
import { findForbidden, secretsOf, serverCode } from "./bundle";
import { consolePages, publicPages } from "./page-list";
import { demoWallet, signIn } from "./sign-in";

const folder = fileURLToPath(new URL("../.next/static", import.meta.url));
const dataDir = () => process.env.DATA_DIR ?? "";
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(dataDir(), name), "utf8"));

/** The secrets of the service under test. Its address and the wallets' own addresses are not secret. */
function runningSecrets() {
  const { apiKey, wallets } = readJson("sandbox.json") as { apiKey: string; wallets: Record<string, Record<string, string>[]> };
  const keys = Object.values(wallets)
    .flat()
    .map(({ address: _, ...key }) => key);
  return [...secretsOf(readJson("secrets.json"), "secrets"), ...secretsOf({ apiKey, keys }, "sandbox")];
}

function readBundle(): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(js|css|json|map)$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("no browser code contains a server module or a secret of the service", async () => {
  const files = readBundle();
  expect(files.size).toBeGreaterThan(20);
  expect(runningSecrets().length).toBeGreaterThanOrEqual(6);
  expect([...files.keys()].filter((name) => name.endsWith(".map"))).toEqual([]);
  expect(findForbidden(files, [...serverCode, ...runningSecrets()])).toEqual([]);
});

test("forbidden content is found when it is there", () => {
  const [secret] = runningSecrets();
  if (typeof secret?.text !== "string") throw new Error("there are no secrets to look for");
  const planted = new Map([
    ["a.js", 'e.exports={path:"lib/access/keys.ts"}'],
    ["b.js", 'import("node:crypto")'],
    ["c.js", "`SELECT account_id, name FROM api_key`"],
    ["d.js", "process.env.KEY_PEPPER"],
    ["e.js", `const a="${secret.text}"`],
    ["f.js", 'const harmless="select a key from the list"'],
  ]);
  const found = findForbidden(planted, [...serverCode, ...runningSecrets()]);
  expect(found.map((line) => line.slice(0, 1))).toEqual(["a", "b", "c", "d", "e"]);
  expect(found.join("\n")).not.toContain(secret.text);
});

test("no page contains a secret of the service, a working key or a session token", async ({ context }) => {
  await signIn(context, demoWallet());
  const token = (await context.cookies()).find(({ name }) => name.includes("session-token"))?.value ?? "";
  expect(token).not.toBe("");
  const pages = new Map<string, string>();
  for (const { path } of [...publicPages, ...consolePages]) pages.set(path, await (await context.request.get(path)).text());
  expect(pages.get("/keys")).toContain("demo");
  expect(pages.get("/keys")).not.toContain(`${baseUrl()}/connect`);
  // Pages mention settings and SQL-like words; only real secrets count in them.
  const secret = [
    ...runningSecrets(),
    { what: "the session's token", text: token },
    { what: "a working key", text: /\bpp_[0-9A-Za-z]{38}\b/ },
  ];
  expect(findForbidden(pages, secret)).toEqual([]);
});
