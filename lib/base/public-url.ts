// Where people reach this service: PUBLIC_URL, or without one the address it listens on. Never the Host header, which the
// client writes.

import { config } from "./config";
import { processSingleton } from "./process-singleton";

const listening = processSingleton<{ port?: number }>("listening address", () => ({}));

/** Remembers the port that was really taken: with PORT=0 the system chooses. */
export function setListeningAddress(port: number): void {
  listening().port = port;
}

/** Without a trailing slash. */
export function publicUrl(): string {
  return config().PUBLIC_URL ?? `http://127.0.0.1:${listening().port ?? config().PORT}`;
}
