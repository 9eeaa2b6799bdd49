// The seed at rest: one BIP-39 mnemonic, encrypted with AES-256-GCM under a key that scrypt derives from a passphrase. All plain-text
// fields are authenticated with the ciphertext, so a file with any change does not open.

import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from "node:crypto";
import { z } from "zod";

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));

const isPowerOfTwo = (value: number) => Number.isInteger(Math.log2(value));

export const seedFileSchema = z.strictObject({
  version: z.literal(1),
  /** Where the seed may be used: a sandbox's never holds real money. */
  mode: z.enum(["sandbox", "live"]),
  /** BIP-32 fingerprint of the master key: identifies the seed without opening it. */
  fingerprint: hex(4),
  kdf: z.strictObject({
    name: z.literal("scrypt"),
    // Bounded, so that a file cannot make a start take hours or exhaust memory.
    N: z
      .number()
      .min(2 ** 14)
      .max(2 ** 20)
      .refine(isPowerOfTwo),
    r: z.literal(8),
    p: z.number().int().min(1).max(4),
    salt: hex(32),
  }),
  cipher: z.literal("aes-256-gcm"),
  iv: hex(12),
  ciphertext: z.string().regex(/^([0-9a-f]{2}){1,1024}$/),
  tag: hex(16),
});

export type SeedFile = z.infer<typeof seedFileSchema>;

/** A third of a second and 128 MB per guess: a person may have chosen the passphrase. */
const COST_FOR_PEOPLE = 2 ** 17;
/** For a passphrase of 256 random bits, for which the cost is irrelevant. */
export const COST_FOR_RANDOM = 2 ** 14;

interface SealOptions {
  mode: SeedFile["mode"];
  fingerprint: string;
  /** scrypt's N. */
  cost?: number;
}

/** Encrypts `words` with a fresh salt and IV. */
export async function sealSeed(words: string, passphrase: string, options: SealOptions): Promise<SeedFile> {
  const { mode, fingerprint, cost = COST_FOR_PEOPLE } = options;
  const kdf = { name: "scrypt", N: cost, r: 8, p: 1, salt: randomBytes(32).toString("hex") } as const;
  const header = { version: 1, mode, fingerprint, kdf, cipher: "aes-256-gcm", iv: randomBytes(12).toString("hex") } as const;
  const cipher = createCipheriv(header.cipher, await deriveKey(passphrase, kdf), Buffer.from(header.iv, "hex"));
  cipher.setAAD(authenticated(header));
  const ciphertext = Buffer.concat([cipher.update(words, "utf8"), cipher.final()]).toString("hex");
  return { ...header, ciphertext, tag: cipher.getAuthTag().toString("hex") };
}

/** The words in `file`, or null when the passphrase is wrong or the file was changed: GCM cannot distinguish them. */
export async function unsealSeed(file: SeedFile, passphrase: string): Promise<string | null> {
  const key = await deriveKey(passphrase, file.kdf);
  const decipher = createDecipheriv(file.cipher, key, Buffer.from(file.iv, "hex"), { authTagLength: 16 });
  decipher.setAAD(authenticated(file));
  decipher.setAuthTag(Buffer.from(file.tag, "hex"));
  try {
    return Buffer.concat([decipher.update(Buffer.from(file.ciphertext, "hex")), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

type Header = Omit<SeedFile, "ciphertext" | "tag">;

/** Everything in the file but the ciphertext and its tag, in an order independent of the JSON's. */
function authenticated({ version, mode, fingerprint, kdf, cipher, iv }: Header): Buffer {
  return Buffer.from(JSON.stringify([version, mode, fingerprint, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, cipher, iv]));
}

function deriveKey(passphrase: string, { N, r, p, salt }: SeedFile["kdf"]): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * N * r };
  return new Promise((resolve, reject) => {
    // NFKC: the same characters typed on another system give the same passphrase.
    scrypt(passphrase.normalize("NFKC"), Buffer.from(salt, "hex"), 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
