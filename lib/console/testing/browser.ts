// A browser for tests: it keeps cookies, sends its page's origin, and talks to the real route handlers.

import * as authRoute from "@/app/api/auth/[...nextauth]/route";
import * as challengeRoute from "@/app/api/auth/challenge/route";
import { publicUrl } from "@/lib/base/public-url";
import { prove, type TestWallet } from "./wallets";

type Fields = Record<string, string>;

export class TestBrowser {
  readonly cookies = new Map<string, string>();

  /** @param origin of the sending page; null for a client without an Origin header */
  constructor(
    readonly origin: string | null = publicUrl(),
    readonly headers: Fields = {},
  ) {}

  get(path: string): Promise<Response> {
    return this.send(path, { method: "GET" });
  }

  post(path: string, fields: Fields): Promise<Response> {
    return this.send(path, { method: "POST", body: new URLSearchParams(fields) });
  }

  postJson(path: string, body: unknown): Promise<Response> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.send(path, { method: "POST", body: text, headers: { "content-type": "application/json" } });
  }

  async challenge({ chain, address }: Pick<TestWallet, "chain" | "address">): Promise<{ nonce: string; text: string }> {
    const response = await this.postJson("/api/auth/challenge", { chain, address });
    if (!response.ok) throw new Error(`no challenge: ${await response.text()}`);
    return response.json();
  }

  /** Signs in as next-auth's browser code does; `error` is the reason of a refusal, otherwise null. */
  async submit(fields: Fields): Promise<{ status: number; error: string | null }> {
    const { csrfToken } = await (await this.get("/api/auth/csrf")).json();
    const response = await this.post("/api/auth/callback/wallet", { ...fields, csrfToken, callbackUrl: "/overview", json: "true" });
    const { url } = await response.json();
    return { status: response.status, error: new URL(url).searchParams.get("error") };
  }

  async signIn(wallet: TestWallet): Promise<{ status: number; error: string | null }> {
    return this.submit({ ...(await prove(wallet, await this.challenge(wallet))) });
  }

  /** The owner that next-auth's session endpoint reports; {} when signed out. */
  async session(): Promise<{ user?: { accountId: string; wallet: { chain: string; address: string } }; expires?: string }> {
    return (await this.get("/api/auth/session")).json();
  }

  async signOut(): Promise<Response> {
    const { csrfToken } = await (await this.get("/api/auth/csrf")).json();
    return this.post("/api/auth/signout", { csrfToken, json: "true" });
  }

  private async send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers({ ...this.headers, ...Object.fromEntries(new Headers(init.headers)) });
    if (this.origin !== null && init.method === "POST") headers.set("origin", this.origin);
    if (this.cookies.size > 0) headers.set("cookie", [...this.cookies].map((pair) => pair.join("=")).join("; "));
    const request = new Request(new URL(path, publicUrl()), { ...init, headers });
    const response = await answer(request);
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return response;
  }

  private keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Uses the route whose folder matches, as Next does. */
function answer(request: Request): Promise<Response> {
  const steps = new URL(request.url).pathname.split("/").slice(3);
  if (steps[0] === "challenge") return challengeRoute.POST(request);
  const route = request.method === "POST" ? authRoute.POST : authRoute.GET;
  return route(request, { params: Promise.resolve({ nextauth: steps }) });
}
