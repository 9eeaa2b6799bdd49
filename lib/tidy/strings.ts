// Strings that no file may contain: paths of the machine it was written on, the registry it was installed from, and secrets.

import { crc32 } from "node:zlib";
import { toBase62 } from "@/lib/base/ids";
import { lineRule } from "./tree";

const everywhere = () => true;

// Each in two parts, so that this file does not match itself.
const registries = [
  "registry." + "npmjs",
  "registry." + "yarnpkg",
  "npm" + "mirror",
  "npm.pkg." + "github",
  "localhost:" + "4873",
  "127.0.0.1:" + "4873",
];
const machinePath = /(^|[\s"'`(=:,[])\/(work|root)\/[\w.]|(^|[\s"'`(=:,[])\/home\/\w+\/|\/Users\/\w+\//;

export const noMachine = lineRule(everywhere, (line) => {
  const host = registries.find((name) => line.includes(name));
  if (host) return `names a package registry (${host}): whoever installs chooses their own; write none.`;
  return machinePath.test(line) ? "names a path of one machine: write it relative to the project." : null;
});

/** An API key of ours with a valid checksum; a key made up for a text has none. */
function holdsOurKey(line: string): boolean {
  return [...line.matchAll(/\bpp_[0-9A-Za-z]{38}\b/g)].some(([key]) => toBase62(crc32(key.slice(0, 35)), 6) === key.slice(35));
}

const secrets: readonly [what: string, pattern: RegExp][] = [
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ["a private key", /(private|secret)[\w ]*["']?\s*[:=]\s*["'`](0x)?[0-9a-f]{64}["'`]/i],
  ["a provider's key", /\b(sk-(ant-|proj-)?[A-Za-z0-9_-]{32,}|AIza[0-9A-Za-z_-]{35}|xai-[A-Za-z0-9]{40,}|AKIA[0-9A-Z]{16})\b/],
];

// No random key contains these: a test that shows how keys are hidden needs realistic ones.
const madeUp = /abcdef|123456|(\w)\1{5}/i;

function foreignSecret(line: string): string | undefined {
  return secrets.find(([, pattern]) => pattern.test(line) && !madeUp.test(pattern.exec(line)?.[0] ?? ""))?.[0];
}

export const noSecrets = lineRule(
  (path) => path !== "package-lock.json",
  (line) => {
    const what = holdsOurKey(line) ? "a working API key" : foreignSecret(line);
    return what ? `holds ${what}: take it out and revoke it; a test makes its own when it runs.` : null;
  },
);
