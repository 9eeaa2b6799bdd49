// Deploys the settlement contract, once, as a transaction of the relay, so that the relayer's nonces stay correct however often and by
// however many processes it is deployed.

import { formatEther, type Hex } from "viem";
import { hasCode, readGasBalance } from "@/lib/chains/evm/balances";
import { type EvmNodes, evmNodes } from "@/lib/chains/evm/nodes";
import { deterministicDeployer, type SettlementTerms, settlementAddress, settlementDeployment } from "@/lib/chains/evm/settlement";
import { inTransaction } from "@/lib/db/prisma";
import { type PreparedCall, prepareCall, storeCall } from "@/lib/relay/calls";
import { findRelayed, type Relayed } from "@/lib/relay/relayed";
import { sendStored } from "@/lib/relay/send";
import { waitForRelayed } from "@/lib/relay/wait";

export interface DeployOptions {
  nodes?: EvmNodes;
  /** How long to wait for a block, milliseconds. */
  waitMs?: number;
  /** Called with the maximum cost, in wei, before anything is sent. */
  onCost?: (cost: { gas: bigint; maxWei: bigint }) => void;
}

export type Deployment =
  | { kind: "was_there"; address: Hex }
  | { kind: "deployed"; address: Hex; transaction: string; feeWei: bigint | null }
  /** Sent, and in no block yet: the relay's job follows it. */
  | { kind: "on_its_way"; address: Hex; transaction: string; problem: string | null };

const WAIT_MS = 60_000;
const MAX_ATTEMPTS = 20;

/**
 * Deploys the contract of these terms unless it is there. Safe to call any number of times, by any number of processes at once.
 * @throws Error that says what to do; EvmFailure when no node answers
 */
export async function deploySettlement(terms: SettlementTerms, options: DeployOptions = {}): Promise<Deployment> {
  const { nodes = evmNodes(), waitMs = WAIT_MS } = options;
  const address = settlementAddress(terms);
  if (await hasCode(address, nodes)) return { kind: "was_there", address };
  const { id, isStored } = await findAttempt(address);
  if (!isStored) {
    const prepared = await prepare(terms, options);
    // Somebody else deployed it first: anybody may.
    if (prepared === null) return { kind: "was_there", address };
    await inTransaction((transaction) => storeCall(id, prepared, transaction));
  }
  await sendStored(id, { evm: nodes });
  const relayed = await waitForRelayed(id, waitMs, { evm: nodes });
  if (!(await hasCode(address, nodes))) return notThereYet(address, relayed);
  return relayed.state === "succeeded"
    ? { kind: "deployed", address, transaction: relayed.hash, feeWei: relayed.fee }
    : { kind: "was_there", address };
}

/** The attempt that may still succeed, or the next one's id: a failed or lost transaction is never sent again. */
async function findAttempt(address: Hex): Promise<{ id: string; isStored: boolean }> {
  const ids = Array.from({ length: MAX_ATTEMPTS }, (_, index) => `settlement_deploy_${address}${index === 0 ? "" : `_${index + 1}`}`);
  const known = new Map((await findRelayed(ids)).map((one) => [one.id, one]));
  for (const id of ids) {
    const one = known.get(id);
    if (!one) return { id, isStored: false };
    if (one.state !== "failed" && one.state !== "lost") return { id, isStored: true };
  }
  throw new Error(
    `Deploying the settlement contract failed ${MAX_ATTEMPTS} times. Check ${address} and the last transaction in a block explorer.`,
  );
}

function notThereYet(address: Hex, { id, state, hash: transaction, problem }: Relayed): Deployment {
  if (state !== "failed" && state !== "lost") return { kind: "on_its_way", address, transaction, problem };
  throw new Error(`The deployment ${transaction} is ${state} on the chain (${id}). Run the command again to retry.`);
}

/** Null when the contract was deployed meanwhile. */
async function prepare(terms: SettlementTerms, { nodes = evmNodes(), onCost }: DeployOptions): Promise<PreparedCall | null> {
  if (!(await hasCode(deterministicDeployer, nodes))) {
    throw new Error(
      `Chain ${nodes.chainId} has no deterministic deployer at ${deterministicDeployer}, which the settlement contract needs. ` +
        "Base has it. On your own chain, deploy it first: https://github.com/Arachnid/deterministic-deployment-proxy",
    );
  }
  const prepared = await prepareCall(settlementDeployment(terms), nodes);
  if (prepared.kind === "reverts") {
    if (await hasCode(settlementAddress(terms), nodes)) return null;
    throw new Error(`The deployment would revert (${prepared.reason}). SERVICE_NAME must be one word of at most 31 letters and digits.`);
  }
  const { gas, maxFeePerGas, from } = prepared;
  const maxWei = gas * maxFeePerGas;
  onCost?.({ gas, maxWei });
  const held = await readGasBalance(from, nodes);
  if (held < maxWei) {
    throw new Error(
      `The relayer ${from} has ${formatEther(held)} ETH, and the deployment can cost up to ${formatEther(maxWei)} ETH. ` +
        `Send it ETH on chain ${nodes.chainId}, with some extra for future payments, and run the command again.`,
    );
  }
  return prepared;
}
