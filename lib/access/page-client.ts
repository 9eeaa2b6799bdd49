// The address of the client behind a page's request. Next hands pages, actions and route handlers no connection, so our own
// door writes the address into a header, over whatever the client wrote there.

import type { IncomingMessage } from "node:http";
import { processSingleton } from "@/lib/base/process-singleton";
import { clientAddress, trustedProxies } from "./client-address";

const HEADER = "x-client-address";

const door = processSingleton<{ writes?: true }>("page door", () => ({}));

/** Notes the client's address on a request that goes to Next. */
export function writePageClient(message: IncomingMessage): void {
  door().writes = true;
  const forwardedFor = [message.headers["x-forwarded-for"] ?? []].flat().join(",");
  message.headers[HEADER] = clientAddress(message.socket.remoteAddress, forwardedFor || undefined, trustedProxies());
}

/** The address that limits and lists know this request's client by. */
export function readPageClient(headers: Pick<Headers, "get">): string {
  if (door().writes) return headers.get(HEADER) ?? "unknown";
  // Hosted without our door: the platform's proxy is the peer, and TRUSTED_PROXIES must name `loopback` to believe it.
  return clientAddress("127.0.0.1", headers.get("x-forwarded-for") ?? undefined, trustedProxies());
}
