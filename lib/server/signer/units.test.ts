// The units of systemd that operators copy: each starts one role with the commands of package.json, as a user of its own, and only the
// signer's names the seed.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configVariables, readConfig } from "@/lib/base/config";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

/** What `npm start` runs, of the package. */
const packaged = scripts.start?.replace("lib/server/launch.mjs", "server.mjs");

/** The values of each directive of a unit, and the variables that it sets. */
function readUnit(role: string) {
  const text = readFileSync(`lib/server/systemd/pennyprompt-${role}.service`, "utf8");
  const lines = text.split("\n").filter((line) => /^\w+=/.test(line));
  const valuesOf = (name: string) => lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const variables = Object.fromEntries(
    valuesOf("Environment").flatMap((value) => value.split(" ").map((pair) => pair.split("=") as [string, string])),
  );
  return { valuesOf, variables };
}

const hardening = [
  "NoNewPrivileges",
  "ProtectSystem",
  "ProtectHome",
  "PrivateTmp",
  "PrivateDevices",
  "RestrictNamespaces",
  "LockPersonality",
];
const secrets = { KEY_PEPPER: "p".repeat(32), SESSION_SECRET: "s".repeat(32), DATABASE_URL: "postgresql://db.example/x" };
const pins = {
  TREASURY_BASE_ADDRESS: `0x${"1".repeat(40)}`,
  TREASURY_SOLANA_ADDRESS: "1".repeat(32),
  OPERATOR_ADDRESS: `0x${"2".repeat(40)}`,
};

test.each(["web", "jobs", "signer"])("the unit of the role %s starts it alone, hardened, with settings that exist and suffice", (role) => {
  const { valuesOf, variables } = readUnit(role);
  expect(valuesOf("ExecStart")).toEqual([`/usr/bin/${role === "signer" ? scripts.signer : packaged}`]);
  expect(valuesOf("User")).toEqual([`pennyprompt-${role}`]);
  expect(variables.ROLES).toBe(role);
  for (const name of hardening) expect(valuesOf(name), name).toHaveLength(1);
  const settings = Object.fromEntries(Object.entries(variables).filter(([name]) => name !== "NODE_ENV"));
  for (const name of Object.keys(settings)) expect(configVariables).toContain(name);
  const others = role === "signer" ? pins : { ...pins, ...secrets, PUBLIC_URL: "https://pennyprompt.example" };
  expect(readConfig({ ...settings, ...others })).toMatchObject({ MODE: "live", ROLES: readConfig({ ROLES: role }).ROLES });
  expect(Object.keys(settings).some((name) => /SEED|PASSPHRASE/.test(name))).toBe(role === "signer");
});
