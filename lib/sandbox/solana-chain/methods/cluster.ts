// RPC methods for the chain as a whole: health, time, blockhashes, fees.

import type { Chain } from "../chain";
import type { Method } from "../rpc/answer";
import { API_VERSION, readCommitment, readInteger, readOptions, readText, withContext } from "../rpc/params";
import { invalidParams } from "../rpc/rpc-error";
import { SLOTS_PER_EPOCH } from "../runtime/bank";
import { readMessage } from "../runtime/wire";

const LAMPORTS_PER_SIGNATURE = 5_000;
/** The feature set of Agave 3, which clients may compare. */
const FEATURE_SET = 3_640_012_085;

export function clusterMethods(chain: Chain): Record<string, Method> {
  const { slots } = chain;
  const askedIn = (options: unknown) => readCommitment(chain, readOptions(options));
  return {
    getHealth: () => "ok",
    getVersion: () => ({ "solana-core": API_VERSION, "feature-set": FEATURE_SET }),
    getGenesisHash: () => slots.genesisHash(),
    getSlot: ([options]) => slots.at(askedIn(options)),
    getBlockHeight: ([options]) => slots.heightOf(slots.at(askedIn(options))),
    getEpochInfo: ([options]) => epochInfo(chain, slots.at(askedIn(options))),
    getLatestBlockhash: ([options]) => {
      const asked = askedIn(options);
      return withContext(chain, asked, chain.blockhashAt(slots.at(asked)));
    },
    isBlockhashValid: ([blockhash, options]) => {
      const asked = askedIn(options);
      const slot = slots.slotOf(readText(blockhash));
      return withContext(chain, asked, slot !== null && slot <= slots.at(asked));
    },
    getFeeForMessage: ([message, options]) => withContext(chain, askedIn(options), feeOf(chain, readText(message))),
    getMinimumBalanceForRentExemption: ([bytes]) => chain.state.bank.rentExemption(readInteger(bytes)),
    // No priority fee is needed here.
    getRecentPrioritizationFees: () => [{ slot: slots.current - 1, prioritizationFee: 0 }],
  };
}

function epochInfo({ slots }: Chain, slot: number) {
  return {
    absoluteSlot: slot,
    blockHeight: slots.heightOf(slot),
    epoch: Math.floor(slot / SLOTS_PER_EPOCH),
    slotIndex: slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: null,
  };
}

/** Excludes a message's priority fee. Null when its blockhash has expired. */
function feeOf({ slots }: Chain, text: string): number | null {
  try {
    const message = readMessage(Buffer.from(text, "base64"));
    return slots.isValid(message.recentBlockhash) ? message.header.numRequiredSignatures * LAMPORTS_PER_SIGNATURE : null;
  } catch (error) {
    if (error instanceof RangeError) throw invalidParams(`failed to deserialize message: ${error.message}`);
    throw error;
  }
}
