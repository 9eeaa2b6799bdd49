// Where people reach this service: PUBLIC_URL, or in a sandbox without one the address it listens on. Never the Host header,
// which the client writes.

import { config } from "@/lib/base/config";

/** Without a trailing slash. */
export function publicUrl(): string {
  return config().PUBLIC_URL ?? `http://127.0.0.1:${config().PORT}`;
}
