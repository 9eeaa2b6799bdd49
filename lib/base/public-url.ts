// The address at which people reach this service: PUBLIC_URL, or without it the address that the service listens on. Never the Host
// header, which the client writes.

import { config } from "./config";
import { processSingleton } from "./process-singleton";

const listening = processSingleton<{ port?: number }>("listening address", () => ({}));

/** Remembers the port actually taken: with PORT=0 the system chooses. */
export function setListeningAddress(port: number): void {
  listening().port = port;
}

/** The address, without a trailing slash. */
export function publicUrl(): string {
  return config().PUBLIC_URL ?? `http://127.0.0.1:${listening().port ?? config().PORT}`;
}
