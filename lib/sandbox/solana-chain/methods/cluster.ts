// RPC methods for the chain as a whole: health, time, blockhashes, fees.

import { z } from "zod";
import type { Chain } from "../chain";
import type { Method } from "../rpc/answer";
import { API_VERSION, baseOptions, readCommitment, readParams, withContext } from "../rpc/params";
import { invalidParams } from "../rpc/rpc-error";
import { SLOTS_PER_EPOCH } from "../runtime/bank";
import { BLOCKHASH_WINDOW } from "../runtime/slots";
import { readMessage } from "../runtime/wire";

const options = z.tuple([baseOptions.nullish()]);
const withText = z.tuple([z.string(), baseOptions.nullish()]);

const LAMPORTS_PER_SIGNATURE = 5_000;
/** The feature set of Agave 3, which clients may compare. */
const FEATURE_SET = 3_640_012_085;

export function clusterMethods(chain: Chain): [string, Method][] {
  const { slots } = chain;
  const slotAt = (params: readonly unknown[]) => slots.at(readCommitment(chain, readParams(params, options)[0]));
  return [
    ["getHealth", () => "ok"],
    ["getVersion", () => ({ "solana-core": API_VERSION, "feature-set": FEATURE_SET })],
    ["getGenesisHash", () => slots.genesisHash()],
    ["getSlot", slotAt],
    ["getBlockHeight", (params) => slots.heightOf(slotAt(params))],
    ["getEpochInfo", (params) => epochInfo(chain, slotAt(params))],
    [
      "getLatestBlockhash",
      (params) => {
        const asked = readCommitment(chain, readParams(params, options)[0]);
        const slot = slots.at(asked);
        const lastValidBlockHeight = slots.heightOf(slot) + BLOCKHASH_WINDOW;
        return withContext(chain, asked, { blockhash: slots.blockhash(slot), lastValidBlockHeight });
      },
    ],
    [
      "isBlockhashValid",
      (params) => {
        const [blockhash, asked] = readParams(params, withText);
        const commitment = readCommitment(chain, asked);
        const slot = slots.slotOf(blockhash);
        return withContext(chain, commitment, slot !== null && slot <= slots.at(commitment));
      },
    ],
    [
      "getFeeForMessage",
      (params) => {
        const [text, asked] = readParams(params, withText);
        return withContext(chain, readCommitment(chain, asked), feeOf(chain, text));
      },
    ],
    ["getMinimumBalanceForRentExemption", (params) => chain.bank.rentExemption(readParams(params, z.tuple([z.int().min(0)]))[0])],
    ["getRecentPrioritizationFees", () => recentFees(chain)],
  ];
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

/** Zero: no priority fee is needed here. */
function recentFees({ slots }: Chain) {
  return Array.from({ length: BLOCKHASH_WINDOW }, (_, index) => ({
    slot: slots.current - BLOCKHASH_WINDOW + index,
    prioritizationFee: 0,
  }));
}
