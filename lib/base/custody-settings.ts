// The settings of the seed and of the signer, and which process must have them: in live mode a process that serves the web never holds the
// seed, and never its passphrase.

import { z } from "zod";

const path = z.string().min(1);

/** An amount of a chain's own coin, in its smallest unit. */
const coins = (decimals: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,9}(\\.\\d{1,${decimals}})?$`), `write an amount with at most ${decimals} decimal places, like 0.25`)
    .transform((text) => {
      const [whole = "", fraction = ""] = text.split(".");
      return BigInt(whole + fraction.padEnd(decimals, "0"));
    });

export const custodyShape = {
  CUSTODY_SEED_FILE: path.optional(),
  CUSTODY_PASSPHRASE: z.string().min(16, "write at least 16 characters, for example the output of: openssl rand -hex 32").optional(),
  CUSTODY_PASSPHRASE_FILE: path.optional(),
  CUSTODY_KEY_COMMAND: path.optional(),
  CUSTODY_XPUB: z
    .string()
    .regex(/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/, "write the xpub… that `npm run custody -- verify` prints")
    .optional(),
  TREASURY_BASE_ADDRESS: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "write the 0x… address that `npm run custody -- verify` prints")
    .optional(),
  TREASURY_SOLANA_ADDRESS: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, "write the base58 address that `npm run custody -- verify` prints")
    .optional(),
  RELAYER_INDEX: z.coerce.number().int().min(0).max(1_000).optional(),
  SIGNER_SOCKET: path.max(100, "write a path of at most 100 characters: longer ones are no Unix sockets").optional(),
  SIGNER_STATE_DIR: path.optional(),
  OPERATOR_ADDRESS: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "write the 0x… address of the key with which you approve withdrawals")
    .optional(),
  OPERATOR_KEY_FILE: path.optional(),
  RELAYER_DAILY_FEES_ETH: coins(18).optional(),
  TREASURY_DAILY_FEES_SOL: coins(9).optional(),
  TREASURY_DAILY_RENT_SOL: coins(9).optional(),
  SPONSOR_DAILY_FEES_SOL: coins(9).optional(),
};

type Given = Readonly<Record<string, string | undefined>>;

const passphraseNames = ["CUSTODY_PASSPHRASE", "CUSTODY_PASSPHRASE_FILE", "CUSTODY_KEY_COMMAND"] as const;

/** What a process does; `signer` stands alone. */
export const roles = ["api", "pages", "jobs", "signer"] as const;

export type Role = (typeof roles)[number];

/** `web` is short for the two roles that strangers reach. */
export const rolesNamed = (name: Role | "web"): Role[] => (name === "web" ? ["api", "pages"] : [name]);

/** As they are written: a name that is no role is reported elsewhere. */
const rolesOf = ({ ROLES = "web,jobs" }: Given): string[] => ROLES.split(",").flatMap((name) => rolesNamed(name.trim() as Role | "web"));

/** `web`: the API, the pages, or both. */
export const hasRole = (set: Given, name: "web" | "jobs" | "signer"): boolean =>
  rolesNamed(name).some((role) => rolesOf(set).includes(role));

/** The passphrase has one source. */
export function twoPassphrases(set: Given): string[] {
  const [first, ...others] = passphraseNames.filter((name) => set[name] !== undefined);
  return first && others.length > 0 ? [`${first}: set either this or ${others.join(" or ")}, not both`] : [];
}

/** The signer is a process of its own. */
export const mixedRoles = (set: Given): string[] =>
  hasRole(set, "signer") && rolesOf(set).length > 1 ? ["ROLES: signer stands alone: it is started by npm run signer"] : [];

/** Settings that live mode lacks, or must not have, to keep the seed apart. */
export function custodyProblems(set: Given): string[] {
  if (hasRole(set, "signer")) return missing(set, ["SIGNER_SOCKET", ...seedHolder], "for the signer");
  const problems: string[] = [];
  if (hasRole(set, "web")) {
    const held = ["CUSTODY_SEED_FILE", ...passphraseNames].filter((name) => set[name] !== undefined);
    problems.push(
      ...held.map((name) => `${name}: remove it here: in live mode a process that serves the web must not hold the seed. ${apart}`),
    );
  }
  if (!hasRole(set, "jobs") || set.SIGNER_SOCKET !== undefined) return problems;
  if (hasRole(set, "web"))
    return [...problems, `SIGNER_SOCKET: required in live mode for a process that serves the web and runs the jobs. ${apart}`];
  return [...problems, ...missing(set, seedHolder, "for a process with the jobs role and without SIGNER_SOCKET")];
}

const apart = "Start `npm run signer` with the seed, and set SIGNER_SOCKET to its socket; or run ROLES=web and ROLES=jobs apart";

const seedHolder = ["CUSTODY_SEED_FILE", "CUSTODY_PASSPHRASE", "SIGNER_STATE_DIR", "OPERATOR_ADDRESS"];

function missing(set: Given, names: readonly string[], forWhom: string): string[] {
  const isSet = (name: string) =>
    name === "CUSTODY_PASSPHRASE" ? passphraseNames.some((one) => set[one] !== undefined) : set[name] !== undefined;
  return names.filter((name) => !isSet(name)).map((name) => `${name}: required in live mode ${forWhom}; see .env.example`);
}
