// The secret for tokens against cross-site requests. An operator sets SESSION_SECRET; a sandbox generates its own, keeps it in its data
// directory, and passes it to `setSandboxSessionSecret`.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const holder = processSingleton<{ sandbox?: string }>("session secret", () => ({}));

/** Sets the secret of a sandbox that was configured without one. */
export function setSandboxSessionSecret(value: string): void {
  holder().sandbox = value;
}

/** @throws Error when neither SESSION_SECRET is set nor a sandbox has set its own */
export function sessionSecret(): string {
  const value = config().SESSION_SECRET ?? holder().sandbox;
  if (!value) {
    throw new Error("SESSION_SECRET is not set: write at least 32 random characters, for example the output of: openssl rand -hex 32");
  }
  return value;
}
