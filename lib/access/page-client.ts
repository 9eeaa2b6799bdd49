// The address of the client behind a page's request. Next gives pages, actions and route handlers no connection, so our own HTTP server
// writes the address into a header, and overwrites what the client wrote there.

import type { IncomingMessage } from "node:http";
import { processSingleton } from "@/lib/base/process-singleton";
import { clientAddress, trustedProxies } from "./client-address";

export const CLIENT_HEADER = "x-client-address";

const httpServer = processSingleton<{ writes?: true }>("page server", () => ({}));

/** Makes `readPageClient` believe the header. Call it where our own HTTP server, in this process or before it, writes the header itself. */
export function believePageClient(): void {
  httpServer().writes = true;
}

/** Writes the client's address into a request that goes to Next. */
export function writePageClient(message: IncomingMessage): void {
  believePageClient();
  const forwardedFor = [message.headers["x-forwarded-for"] ?? []].flat().join(",");
  message.headers[CLIENT_HEADER] = clientAddress(message.socket.remoteAddress, forwardedFor || undefined, trustedProxies());
}

/** The client's address of this request, for limits and lists. */
export function readPageClient(headers: Pick<Headers, "get">): string {
  if (httpServer().writes) return headers.get(CLIENT_HEADER) ?? "unknown";
  // Hosted without our HTTP server: the platform's proxy is the peer, and TRUSTED_PROXIES must name `loopback` to believe it.
  return clientAddress("127.0.0.1", headers.get("x-forwarded-for") ?? undefined, trustedProxies());
}
