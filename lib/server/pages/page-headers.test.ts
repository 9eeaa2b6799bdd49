import loadCustomRoutes from "next/dist/lib/load-custom-routes";
import { getPathMatch } from "next/dist/shared/lib/router/utils/path-match";
import { expect, test } from "vitest";
import nextConfig from "@/next.config";
import { contentSecurityPolicy, fixedHeaders } from "./page-headers";

const policyOf = (withWalletConnect: boolean) =>
  new Map(
    contentSecurityPolicy({ nonce: "abc" }, { dev: false, withWalletConnect })
      .split("; ")
      .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1)]),
  );

test("pages reach no other host, run no script without the nonce, and cannot be framed", () => {
  const policy = policyOf(false);
  expect(policy.get("script-src")).toEqual(["'self'", "'nonce-abc'", "'strict-dynamic'"]);
  expect(policy.get("connect-src")).toEqual(["'self'"]);
  expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
  expect(policy.get("form-action")).toEqual(["'self'"]);
  for (const [name, sources] of policy)
    expect(
      sources.filter((source) => /^(https?|wss?):/.test(source)),
      name,
    ).toEqual([]);
});

test("WalletConnect's hosts are allowed only where the operator uses it", () => {
  expect(policyOf(true).get("connect-src")).toContain("wss://relay.walletconnect.org");
  expect(policyOf(true).get("script-src")).toEqual(["'self'", "'nonce-abc'", "'strict-dynamic'"]);
});

test("HSTS is sent only where browsers already use https", () => {
  const rule = (url: string | undefined) => new Map(fixedHeaders(url)).get("strict-transport-security");
  // This host alone: its subdomains may not be ours.
  expect(rule("https://pay.example")).toBe("max-age=31536000");
  expect(rule("http://127.0.0.1:3000")).toBeUndefined();
  expect(rule(undefined)).toBeUndefined();
});

test.each(["/", "/docs/payments", "/keys", "/api/auth/session", "/api/v1/models", "/_next/static/chunks/main.js", "/nowhere/at/all"])(
  "Next alone, without our server, sets the same headers on %s",
  async (path) => {
    // As Next reads its own configuration and matches a request's path.
    const { headers } = await loadCustomRoutes(nextConfig as Parameters<typeof loadCustomRoutes>[0]);
    const rules = headers.filter(({ source, has, missing }) => !has && !missing && getPathMatch(source)(path) !== false);
    const sent = rules.flatMap((rule) => rule.headers.map(({ key, value }): [string, string] => [key, value]));
    expect(new Map(sent)).toEqual(new Map(fixedHeaders(undefined)));
  },
);
