// `npm run settlement -- deploy | verify`: deploys the settlement contract, or checks whether it is deployed. It works on the
// database in DATABASE_URL, or that of the sandbox in DATA_DIR, also while the service runs.

import { formatEther, type Hex } from "viem";
import { z } from "zod";
import { recordAudit } from "@/lib/audit/record";
import { config } from "@/lib/base/config";
import { baseChainId } from "@/lib/chains/evm/base";
import { type EvmFailure, isEvmFailure } from "@/lib/chains/evm/failure";
import { setSandboxEvmNodes } from "@/lib/chains/evm/node-urls";
import { readDeployedSettlement, type SettlementTerms, settlementAddress } from "@/lib/chains/evm/settlement";
import { usdcAddress } from "@/lib/chains/evm/usdc";
import { type Deployment, deploySettlement } from "@/lib/payments/settlement/deploy-settlement";
import { setRelayer } from "@/lib/relay/relayer";
import { type Custody, checkPins, checkSeed, findCustody } from "@/lib/wallets/custody/custody";
import { behindCodec } from "@/lib/wallets/custody/wire/wire-signer";
import { withPresentDatabase } from "./present-database";
import { type ReachedSigner, reachSigner } from "./signer/reach-signer";

const usage = `npm run settlement -- verify     check that the settlement contract is deployed and unmodified
npm run settlement -- deploy     deploy it once; the relayer pays the gas
`;

const commands: Readonly<Record<string, () => Promise<void>>> = { deploy, verify };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exit code 0 when the contract is deployed; 1 when it is not, and the message says what to do. */
export async function main(): Promise<void> {
  const [name = "", ...words] = process.argv.slice(2);
  const command = commands[name];
  if (!command || words.length > 0) {
    process.stderr.write(usage);
    process.exitCode = 1;
    return;
  }
  try {
    await withPresentDatabase(async () => {
      await checkPins();
      await findChain();
      await command();
    });
  } catch (error) {
    process.stderr.write(`${isEvmFailure(error) ? chainProblem(error) : error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function chainProblem({ kind, message }: EvmFailure): string {
  return kind === "rejected"
    ? `The chain refuses the contract. SERVICE_NAME must be one word of at most 31 letters and digits. (${message})`
    : `No node of chain ${baseChainId()} responds. Correct BASE_RPC_URLS, or try again later. (${message})`;
}

const placesForm = z.object({ rpc: z.object({ base: z.url() }) });

/** A sandbox's file says where its chain is, while it runs. */
async function findChain(): Promise<void> {
  const { MODE, DATA_DIR } = config();
  if (MODE !== "sandbox") return;
  const [{ areChainsOwned }, { readSandboxFile }] = await Promise.all([
    import("@/lib/sandbox/chains-owner"),
    import("@/lib/sandbox/secrets"),
  ]);
  const places = placesForm.safeParse(areChainsOwned(DATA_DIR) ? readSandboxFile(DATA_DIR) : null);
  if (!places.success) {
    throw new Error(`The sandbox in DATA_DIR=${DATA_DIR} is not running. Start it: a sandbox deploys the contract to its own chain.`);
  }
  setSandboxEvmNodes([places.data.rpc.base]);
}

const termsOf = (treasury: Hex, relayer: Hex): SettlementTerms => {
  return { serviceName: config().SERVICE_NAME, usdc: usdcAddress(baseChainId()), treasury, relayer };
};

function printTerms(terms: SettlementTerms): void {
  say(`Settlement contract  ${settlementAddress(terms)} on chain ${baseChainId()}`);
  say(`Service word         ${terms.serviceName}`);
  say(`USDC                 ${terms.usdc}`);
  say(`Treasury             ${terms.treasury}`);
  say(`Relayer              ${terms.relayer}\n`);
}

async function getCustody(): Promise<Custody> {
  const custody = await findCustody();
  if (!custody) throw new Error("This database has no seed yet, and the contract's address depends on it. Start the service once.");
  return custody;
}

async function verify(): Promise<void> {
  const { treasury, relayer } = await getCustody();
  const terms = termsOf(treasury.base, relayer.base);
  printTerms(terms);
  const found = await readDeployedSettlement(terms);
  if (found === "absent") throw new Error("The contract is not deployed. Run: npm run settlement -- deploy");
  if (found === "another")
    throw new Error(
      "The code at this address is not the code of this release. Stop accepting signed payments and check with another node (BASE_RPC_URLS).",
    );
  say("The contract is deployed, and its code matches this release.");
}

async function deploy(): Promise<void> {
  await getCustody();
  const { signer, stop } = await openSigner();
  await checkSeed(signer);
  setRelayer(signer.relayer);
  const terms = termsOf(signer.treasury.base, signer.relayer.address);
  printTerms(terms);
  const onCost = ({ gas, maxWei }: { gas: bigint; maxWei: bigint }) =>
    say(`Maximum cost for the relayer: ${formatEther(maxWei)} ETH (${gas} gas), plus a small data fee on Base.`);
  const outcome = await deploySettlement(terms, { onCost }).finally(stop);
  if (outcome.kind !== "was_there")
    await recordAudit({ accountId: null, kind: "settlement.deployed", subject: outcome.transaction, after: { ...terms } });
  printOutcome(outcome);
}

/** Of the service's own signer where one runs; else of the seed, without the journal of a running service: it pays no withdrawal. */
async function openSigner(): Promise<Pick<ReachedSigner, "signer" | "stop">> {
  const { MODE, DATA_DIR, CUSTODY_SEED_FILE } = config();
  const reached = await reachSigner(config());
  if (reached) return reached;
  const stop = () => undefined;
  if (MODE === "sandbox") return { signer: await (await import("@/lib/sandbox/seed")).openSandboxSigner(DATA_DIR), stop };
  if (!CUSTODY_SEED_FILE)
    throw new Error("SIGNER_SOCKET is not set. Run this command with the settings of the process that has ROLES=jobs.");
  const { openLiveKeys } = await import("@/lib/wallets/custody/open-seed");
  return { signer: await behindCodec(await openLiveKeys(config())), stop };
}

function printOutcome(outcome: Deployment): void {
  if (outcome.kind === "was_there") say("Already deployed. Nothing to do.");
  else if (outcome.kind === "deployed") say(`Deployed in ${outcome.transaction} for ${formatEther(outcome.feeWei ?? 0n)} ETH.`);
  else {
    const { transaction, problem } = outcome;
    throw new Error(
      `Transaction ${transaction} was sent but is not in a block yet${problem ? ` (${problem})` : ""}. The service keeps retrying. ` +
        "Check again in a minute: npm run settlement -- verify",
    );
  }
}
