// The secret under which API keys are hashed, and from which other secrets follow. An operator sets KEY_PEPPER; a sandbox generates its own, keeps it in its data directory,
// and passes it to `setSandboxPepper`.

import { config } from "@/lib/base/config";
import { processSingleton } from "@/lib/base/process-singleton";

const holder = processSingleton<{ sandbox?: string }>("pepper", () => ({}));

/** Sets the pepper of a sandbox that was configured without one. */
export function setSandboxPepper(value: string): void {
  holder().sandbox = value;
}

/** @throws Error when neither KEY_PEPPER is set nor a sandbox has set its own */
export function pepper(): string {
  const value = config().KEY_PEPPER ?? holder().sandbox;
  if (!value)
    throw new Error("KEY_PEPPER is not set: write at least 32 random characters, for example the output of: openssl rand -hex 32");
  return value;
}

/** The pepper, and the second pepper accepted while an operator changes it. */
export function peppers(): string[] {
  const { KEY_PEPPER_ALSO } = config();
  return KEY_PEPPER_ALSO === undefined ? [pepper()] : [pepper(), KEY_PEPPER_ALSO];
}
