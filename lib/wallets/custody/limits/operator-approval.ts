// The operator's approval of a withdrawal: a text that names the whole order, signed with a key whose address is pinned where the seed is.
// Neither the database nor the process that pays can approve anything.

import { type Hex, isHex, recoverMessageAddress, size } from "viem";
import { config } from "@/lib/base/config";
import { displayAddress } from "@/lib/chains/wallet";
import { type SignedOrder, writeOrderText } from "../withdrawal-order";

/**
 * The whole text, with \n between lines and none at the end. Its first line differs from an owner's order, so that neither signature stands
 * for the other; its nonce makes it good for one order.
 */
export function writeApprovalText(order: SignedOrder): string {
  const [, ...lines] = writeOrderText(order).split("\n");
  return [`${config().SERVICE_NAME} Withdrawal Approval`, ...lines, `Ordered by: ${displayAddress(order.signer)}`].join("\n");
}

const KEY_SIGNATURE_BYTES = 65;

/** Whether the key of `operator` signed this order's approval (EIP-191). Decided here: no node is asked. */
export async function isApprovedBy(operator: string, order: SignedOrder): Promise<boolean> {
  const { operatorSignature: signature } = order;
  if (!isHex(signature) || size(signature) !== KEY_SIGNATURE_BYTES) return false;
  try {
    const address = await recoverMessageAddress({ message: writeApprovalText(order), signature: signature satisfies Hex });
    return address.toLowerCase() === operator.toLowerCase();
  } catch {
    return false; // not a point on the curve
  }
}
