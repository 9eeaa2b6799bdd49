// How many connections a process keeps: all together, and those of one address. A connection costs its client nothing and us a file and
// some memory, so without these bounds one machine could take all that there are.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientAddress, networkOf, siteOf, trustedProxies } from "@/lib/access/client-address";
import { nowMs } from "@/lib/base/clock";
import { AppError } from "@/lib/base/errors";
import { log } from "@/lib/base/observe/log";
import { metrics } from "@/lib/base/observe/metrics";
import { retryAfter } from "@/lib/gateway/http/caller";
import { writeOnSocket } from "./transport-fault";

export interface ConnectionLimits {
  most: number;
  /** Of one IPv4 address, or one IPv6 /64. A trusted proxy has no share: its connections are many clients'. */
  mostOfOne: number;
}

/** A whole IPv6 /48 has as much as so many addresses: it holds 65,536 /64s, and often belongs to one customer. */
const SHARES_OF_SITE = 4;

const WARN_EVERY_MS = 60_000;
/** A connection is free as soon as one closes, which cannot be predicted. */
const RETRY_AFTER_MS = 1_000;

/** Refuses connections beyond the limits; those that are open go on. */
export function limitConnections(server: Server, { most, mostOfOne }: ConnectionLimits): void {
  const open = new Map<string, number>();
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const warn = (facts: object, text: string) => {
    metrics().limited.inc({ limit: "connections" });
    if (nowMs() - warnedAtMs < WARN_EVERY_MS) return;
    warnedAtMs = nowMs();
    log().warn(facts, text);
  };
  server.maxConnections = most;
  server.on("drop", () => warn({ most }, "a connection was refused: MAX_CONNECTIONS are open"));
  server.on("connection", (socket: Socket) => {
    const address = clientAddress(socket.remoteAddress, undefined, trustedProxies());
    if (address === "unknown" || trustedProxies().trusts(address)) return;
    const shares = new Map([[siteOf(address), SHARES_OF_SITE * mostOfOne]]);
    shares.set(networkOf(address), mostOfOne); // of an IPv4 address it is the same name
    for (const [network, share] of shares) {
      if ((open.get(network) ?? 0) < share) continue;
      warn({ network, share }, "a connection was refused: this address has its share. If it is your proxy, add it to TRUSTED_PROXIES");
      return refuse(socket, share);
    }
    for (const network of shares.keys()) open.set(network, (open.get(network) ?? 0) + 1);
    socket.once("close", () => {
      for (const network of shares.keys()) {
        const left = (open.get(network) ?? 1) - 1;
        if (left > 0) open.set(network, left);
        else open.delete(network);
      }
    });
  });
}

/** Written before the request is read, and closed at once: who opens too many must not keep them longer by sending nothing. */
function refuse(socket: Socket, share: number): void {
  const message = `Your address has ${share} connections open already. Close some, or reuse them`;
  const headers = { "retry-after": retryAfter(RETRY_AFTER_MS) };
  const error = new AppError("RATE_LIMIT_EXCEEDED", { message, details: { limit: "concurrency", retryAfterMs: RETRY_AFTER_MS }, headers });
  writeOnSocket(socket, "429 Too Many Requests", error);
  socket.once("finish", () => socket.destroy());
}
