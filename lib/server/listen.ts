// Makes the HTTP server listen, and tells the rest of the process at which address.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "@/lib/base/config";
import { setListeningAddress } from "@/lib/base/public-url";
import { listenProblem } from "./start-problem";

/** Resolves with the address that the server answers on. A sandbox serves this machine only. */
export function listen(server: Server, settings: Config): Promise<{ baseUrl: string; port: number }> {
  const host = settings.HOST ?? (settings.MODE === "sandbox" ? "127.0.0.1" : "0.0.0.0");
  return new Promise((done, failed) => {
    server.once("error", (error: NodeJS.ErrnoException) => failed(listenProblem(error, settings.PORT, host)));
    server.listen(settings.PORT, host, () => {
      const { port } = server.address() as AddressInfo;
      const baseUrl = `http://${reachableName(host)}:${port}`;
      nameAddress(baseUrl, port);
      done({ baseUrl, port });
    });
  });
}

/** Where this service is reached, for links and for Next. */
export function nameAddress(baseUrl: string, port: number): void {
  setListeningAddress(port);
  // When an action redirects to another page, Next requests that page from itself with the caller's cookies. By default it would request it
  // from any program on port 3000.
  process.env.__NEXT_PRIVATE_ORIGIN = baseUrl;
}

/** The host to write into an address: never the wildcard address, and IPv6 in brackets. */
function reachableName(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
