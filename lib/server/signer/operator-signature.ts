// The operator's signature over a withdrawal's approval: given, made on another machine; or made here with a key from a file, or with a
// sandbox's own key. It is checked before it is stored, and by the signer before it pays.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { config } from "@/lib/base/config";
import { isApprovedBy, writeApprovalText } from "@/lib/wallets/custody/limits/operator-approval";
import type { SignedOrder } from "@/lib/wallets/custody/withdrawal-order";
import { confirm } from "../confirm";

interface Operator {
  address: string;
  /** Null when the key is on another machine. */
  key: Hex | null;
}

/**
 * The signature to store with an approval. A text that is signed here is shown first.
 * @param given made on another machine; null to sign here
 * @param isConfirmed the operator is not asked
 * @throws Error that says what to do
 */
export async function signApproval(order: SignedOrder, given: string | null, isConfirmed: boolean): Promise<string> {
  const { address, key } = await findOperator();
  const text = writeApprovalText(order);
  if (given === null && key === null) throw new Error(howToSign(text));
  if (given === null) {
    process.stdout.write(`The key of ${address} signs this text:\n\n${text}\n\n`);
    await confirm("Sign it, and pay the withdrawal?", isConfirmed);
  }
  const signature = given ?? (key && (await privateKeyToAccount(key).signMessage({ message: text }))) ?? "";
  if (await isApprovedBy(address, { ...order, operatorSignature: signature })) return signature;
  throw new Error(`This is no signature of ${address} (OPERATOR_ADDRESS) over this withdrawal's approval. Nothing was changed.`);
}

const howToSign = (text: string): string =>
  `This text needs the operator's signature (EIP-191, as personal_sign makes it):\n\n${text}\n\n` +
  "Sign exactly these lines, without a newline at the end, with the key of OPERATOR_ADDRESS; for example on the machine that has it:\n" +
  '  cast wallet sign --interactive "$(npm run --silent withdrawals -- text <id>)"\n' +
  "Then: npm run withdrawals -- approve <id> 0x<signature>. With OPERATOR_KEY_FILE this command shows the text, asks, and signs itself.";

async function findOperator(): Promise<Operator> {
  const { MODE, DATA_DIR, OPERATOR_ADDRESS: pinned, OPERATOR_KEY_FILE: path } = config();
  const key = path ? readKeyFile(path) : MODE === "sandbox" ? await findSandboxKey(DATA_DIR) : null;
  const address = pinned ?? (MODE === "sandbox" && key ? privateKeyToAccount(key).address : null);
  if (address) return { address, key };
  throw new Error(
    MODE === "live"
      ? "OPERATOR_ADDRESS is not set. Set it to the address that the signer has, whose key approves withdrawals."
      : `There is no sandbox in DATA_DIR=${DATA_DIR}, whose key would approve its withdrawals. Set DATA_DIR to the sandbox's.`,
  );
}

/** A sandbox's signer pins the key in its own secrets. */
async function findSandboxKey(dataDir: string): Promise<Hex | null> {
  if (!existsSync(join(dataDir, "secrets.json"))) return null;
  return (await import("@/lib/sandbox/secrets")).openSecrets(dataDir).operatorKey as Hex;
}

/** @throws Error without the file's content */
function readKeyFile(path: string): Hex {
  const form = "write the path of a file with one private key, 0x and 64 hexadecimal digits";
  let text = "";
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new Error(`OPERATOR_KEY_FILE: other users can access ${path}. Restrict it: chmod 600 ${path}`);
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new Error(`OPERATOR_KEY_FILE: ${path} cannot be read (${code}); ${form}`);
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text as Hex;
  throw new Error(`OPERATOR_KEY_FILE: ${path} holds something else; ${form}`);
}
