// Sweeps on Base: the owner's authorization (EIP-3009), signed by the seed and carried by the relayer. Its nonce is the hash of the sweep's
// id, so the chain carries out each sweep once, no matter who submits it and how often.

import { type Hex, keccak256, stringToBytes } from "viem";
import { nowMs } from "@/lib/base/clock";
import { readGasBalance } from "@/lib/chains/evm/balances";
import type { EvmNodes } from "@/lib/chains/evm/nodes";
import { isAuthorizationUsedAt, isBlacklisted, isPaused } from "@/lib/chains/evm/token-state";
import { encodeAuthorizedTransfer, usdcAddress } from "@/lib/chains/evm/usdc";
import { inTransaction } from "@/lib/db/prisma";
import { isRelayStopped, type PreparedCall, prepareCall, storeCall } from "@/lib/relay/calls";
import { evmOf, type RelayNodes } from "@/lib/relay/chain";
import { sendStored } from "@/lib/relay/send";
import { signer } from "../custody/signer";
import { readFinalOnBase } from "./balances";
import {
  countRelayed,
  delaySweeps,
  endSweeps,
  giveUpSweep,
  listDue,
  nextRelayedId,
  type PlannedSweep,
  SweepTaken,
  takeSweeps,
  type WaitReason,
} from "./sweep";

/** Maximum pending sweeps: nodes keep no more pending transactions of one sender. */
const MAX_UNDER_WAY = 50;
const AT_ONCE = 8;
/** Validity of a signed authorization; afterwards it is signed again, with the same nonce. */
const VALID_SECONDS = 86_400;

const authorizationNonce = (sweepId: string): Hex => keccak256(stringToBytes(sweepId));

/** Signs and sends due sweeps. @throws EvmFailure when no node answers */
export async function sendDueOnBase(given: RelayNodes): Promise<void> {
  const due = await listDue("base", Math.max(0, MAX_UNDER_WAY - (await countRelayed("base"))));
  if (due.length === 0) return;
  const nodes = evmOf(given);
  const obstacle = await findObstacle(nodes);
  if (obstacle !== null) return delaySweeps(due, obstacle);
  const ready = await checkDue(due, nodes);
  let gasMoney = await readGasBalance(signer().relayer.address, nodes);
  for (let from = 0; from < ready.length; from += AT_ONCE) {
    const prepared = await Promise.all(ready.slice(from, from + AT_ONCE).map((sweep) => prepare(sweep, nodes)));
    const stored: string[] = [];
    for (const { sweep, call } of prepared.filter((one) => one !== null)) {
      gasMoney -= call.gas * call.maxFeePerGas;
      const outcome = gasMoney < 0n ? "no_gas_money" : await store(sweep, call);
      if (outcome === "stored") stored.push(nextRelayedId(sweep));
      else if (outcome !== "taken") await delaySweeps([sweep], outcome);
    }
    if (stored.length > 0) await sendStored(stored, { evm: nodes });
  }
}

/** An obstacle that affects all sweeps. */
async function findObstacle(nodes: EvmNodes): Promise<WaitReason | null> {
  if (await isPaused(nodes)) return "paused";
  return (await isBlacklisted(signer().treasury.base, nodes)) ? "treasury_blocked" : null;
}

/**
 * The sweeps whose address still has the planned amount. Sweeps that a stranger already carried out are done, and those with less money
 * than was read are given up.
 */
async function checkDue(due: readonly PlannedSweep[], nodes: EvmNodes): Promise<PlannedSweep[]> {
  const addresses = due.map(({ address }) => address);
  const read = await readFinalOnBase(addresses, nodes);
  if (read === null) return [];
  const { block, blockHash, balances } = read;
  const ready: PlannedSweep[] = [];
  for (const [at, sweep] of due.entries()) {
    // Anybody may carry out a signed authorization; an unsigned one cannot have been used.
    const isSigned = sweep.attempt > 0;
    const isDone = isSigned && (await isAuthorizationUsedAt(sweep.address as Hex, authorizationNonce(sweep.id), blockHash, nodes));
    if (isDone) await endSweeps("base", [sweep.id], block);
    else if ((balances[at]?.units ?? 0n) >= sweep.units) ready.push(sweep);
    // A lagging node proves nothing about newer balances.
    else if (block >= sweep.readBlock) await giveUpSweep("base", sweep);
  }
  return ready;
}

/** Null when it would be refused; then the sweep waits. */
async function prepare(sweep: PlannedSweep, nodes: EvmNodes): Promise<{ sweep: PlannedSweep; call: PreparedCall } | null> {
  const { authorization, signature } = await signer().signSweepOnBase({
    index: sweep.index,
    value: sweep.units,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(nowMs() / 1_000) + VALID_SECONDS),
    nonce: authorizationNonce(sweep.id),
  });
  const data = encodeAuthorizedTransfer(authorization, signature);
  const call = await prepareCall({ to: usdcAddress(nodes.chainId), data }, nodes);
  if (call.kind === "fits") return { sweep, call };
  await delaySweeps([sweep], /blacklist/i.test(call.reason) ? "address_blocked" : "failed");
  return null;
}

async function store(sweep: PlannedSweep, call: PreparedCall): Promise<"stored" | "taken" | "relay_stopped"> {
  const relayedId = nextRelayedId(sweep);
  try {
    await inTransaction(async (transaction) => {
      await takeSweeps([sweep], relayedId, transaction);
      await storeCall(relayedId, call, transaction);
    });
    return "stored";
  } catch (error) {
    if (error instanceof SweepTaken) return "taken";
    if (isRelayStopped(error)) return "relay_stopped";
    throw error;
  }
}
