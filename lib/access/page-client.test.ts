import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { forgetSingleton } from "@/lib/base/process-singleton";
import { readPageClient, writePageClient } from "./page-client";

afterEach(() => {
  vi.unstubAllEnvs();
  for (const name of ["config", "trustedProxies", "page server"]) forgetSingleton(name);
});

function message(remoteAddress: string, headers: Record<string, string>): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: remoteAddress });
  return Object.assign(new IncomingMessage(socket), { headers });
}

const trustLoopback = () => vi.stubEnv("TRUSTED_PROXIES", "loopback");

test("behind our own HTTP server the address is the connection's, whatever the client writes", () => {
  const sent = message("192.0.2.1", { "x-client-address": "10.0.0.1", "x-forwarded-for": "10.0.0.2" });
  writePageClient(sent);
  expect(readPageClient(new Headers(sent.headers as Record<string, string>))).toBe("192.0.2.1");
  // A request that did not pass our HTTP server has no address: it counts as "unknown".
  expect(readPageClient(new Headers({ "x-forwarded-for": "10.0.0.2" }))).toBe("unknown");
});

test("a trusted proxy reports its client's address", () => {
  trustLoopback();
  const sent = message("127.0.0.1", { "x-forwarded-for": "10.0.0.9, 192.0.2.7" });
  writePageClient(sent);
  expect(readPageClient(new Headers(sent.headers as Record<string, string>))).toBe("192.0.2.7");
});

test("without our HTTP server, the client's own header proves nothing", () => {
  const headers = new Headers({ "x-client-address": "10.0.0.1", "x-forwarded-for": "192.0.2.7" });
  expect(readPageClient(headers)).toBe("127.0.0.1");
  trustLoopback();
  for (const name of ["config", "trustedProxies"]) forgetSingleton(name);
  expect(readPageClient(headers)).toBe("192.0.2.7");
});
