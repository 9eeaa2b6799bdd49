// The settlement contract: its address for a service, the text that a wallet signs for it, its calls and its reads. It moves the signed
// amount to the treasury once, and does nothing else; lib/decisions/0014-settlement-contract.md says why.

import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, parseAbi, size, toFunctionSelector, zeroHash } from "viem";
import settlement from "../contracts/artifacts/settlement.json";
import reader from "../contracts/artifacts/settlement-reader.json";
import { type EvmNodes, evmNodes } from "./nodes";
import { usdcAddress } from "./usdc";
import { bytes } from "./wire";

/**
 * The constructor arguments of a settlement contract, immutable: a different word or address gives a different contract at another address.
 */
export interface SettlementTerms {
  /** One word of letters and digits, at most 31. */
  serviceName: string;
  usdc: Hex;
  treasury: Hex;
  relayer: Hex;
}

/** The terms that a wallet signs. */
export interface ProofTerms {
  /** Lower case. */
  from: Hex;
  /** Of `req_<number>`, below 2¹²⁸. */
  requestNumber: bigint;
  /** Below 2⁶⁴. */
  cents: bigint;
  timestampMs: bigint;
}

/** The CREATE2 factory that most chains have at this address, so that a contract's address follows from its code. */
export const deterministicDeployer: Hex = "0x4e59b44847b379578588920ca78fbf26c0b4956c";

export const settlementAbi = parseAbi([
  "constructor(string serviceName, address usdc, address treasury, address relayer)",
  "event Settled(address indexed from, uint128 indexed requestNumber, uint64 cents, uint64 timestampMs)",
  "function settle(address from, uint128 requestNumber, uint64 cents, uint64 timestampMs, bytes signature)",
  "function settledCents(address from, uint128 requestNumber) view returns (uint64)",
  "function proofText(uint128 requestNumber, uint64 cents, uint64 timestampMs) view returns (string)",
  "function serviceName() view returns (string)",
  "function usdc() view returns (address)",
  "function treasury() view returns (address)",
  "function relayer() view returns (address)",
  "error NotOneWord()",
  "error NoAddress()",
  "error NotRelayer()",
  "error NothingToSettle()",
  "error Expired(uint256 blockTimestampMs)",
  "error AlreadySettled(uint64 cents)",
  "error BadSignature()",
  "error WrongAmountReceived()",
  "error NotEnoughGas()",
]);

/** The four lines; `personal_sign` signs them unchanged. */
export const proofText = (serviceName: string, { requestNumber, cents, timestampMs }: Omit<ProofTerms, "from">): string =>
  `${serviceName} Payment\nRequest ID: req_${requestNumber}\nAmount: ${cents} USDC cents\nTimestamp: ${timestampMs}`;

/** The contract's creation code with its constructor arguments. */
const settlementCreationCode = ({ serviceName, usdc, treasury, relayer }: SettlementTerms): Hex =>
  encodeDeployData({ abi: settlementAbi, bytecode: settlement.bytecode as Hex, args: [serviceName, usdc, treasury, relayer] });

/** The address of the contract with these terms, deployed or not, on every chain; lower case. */
export function settlementAddress(terms: SettlementTerms): Hex {
  const bytecode = settlementCreationCode(terms);
  const address = getContractAddress({ opcode: "CREATE2", from: deterministicDeployer, salt: zeroHash, bytecode });
  return address.toLowerCase() as Hex;
}

/** The call that deploys it. Anybody may make it; a second one reverts. */
export const settlementDeployment = (terms: SettlementTerms): { to: Hex; data: Hex } => ({
  to: deterministicDeployer,
  data: `${zeroHash}${settlementCreationCode(terms).slice(2)}`,
});

/** Calldata of a settlement; the relayer alone may send it. */
export const encodeSettle = ({ from, requestNumber, cents, timestampMs }: ProofTerms, signature: Hex): Hex =>
  encodeFunctionData({ abi: settlementAbi, functionName: "settle", args: [from, requestNumber, cents, timestampMs, signature] });

/** Whether a call does exactly one of two things: settle a proof at the contract of these terms, or deploy that contract. */
export function isCallOfSettlement({ to, data }: { to: Hex; data: Hex }, terms: SettlementTerms): boolean {
  const at = to.toLowerCase();
  if (at === deterministicDeployer) return data.toLowerCase() === settlementDeployment(terms).data;
  return data.slice(0, settleSelector.length).toLowerCase() === settleSelector && at === settlementAddress(terms);
}

const settleSelector = toFunctionSelector("settle(address,uint128,uint64,uint64,bytes)");

export interface SettlementState {
  /** Whether the contract's address has code; only the contract can be there. */
  isDeployed: boolean;
  /** Settled for this wallet and request number; 0 when nothing was. */
  settledCents: bigint;
  /** The wallet's allowance for the contract, in USDC base units. */
  allowance: bigint;
  /** The wallet's balance, in USDC base units. */
  balance: bigint;
}

/**
 * The chain state that decides about a proof, at the latest block, in one call.
 * @throws EvmFailure
 */
export async function readSettlement(
  address: Hex,
  { from, requestNumber }: Pick<ProofTerms, "from" | "requestNumber">,
  nodes: EvmNodes = evmNodes(),
): Promise<SettlementState> {
  const args = [address, usdcAddress(nodes.chainId), from, requestNumber] as const;
  const data = encodeDeployData({ abi: readerAbi, bytecode: reader.bytecode as Hex, args });
  return nodes.callFirst((node) => node.call("eth_call", [{ data }, "latest"], stateForm));
}

const readerAbi = parseAbi(["constructor(address settlement, address usdc, address from, uint128 requestNumber)"]);
const WORD_BYTES = 32;
const stateForm = bytes
  .refine((answer) => size(answer) === 4 * WORD_BYTES)
  .transform((answer): SettlementState => {
    const word = (index: number) => BigInt(`0x${answer.slice(2 + index * 2 * WORD_BYTES, 2 + (index + 1) * 2 * WORD_BYTES)}`);
    return { isDeployed: word(0) === 1n, settledCents: word(1), allowance: word(2), balance: word(3) };
  });

/**
 * The code at the address of these terms: no code, exactly the code of our deployment, or other code, which only a lying node can show.
 * @throws EvmFailure
 */
export async function readDeployedSettlement(terms: SettlementTerms, nodes: EvmNodes = evmNodes()): Promise<"absent" | "ours" | "another"> {
  const [found, wanted] = await nodes.callFirst((node) =>
    Promise.all([
      node.call("eth_getCode", [settlementAddress(terms), "latest"], bytes),
      // eth_call on creation code returns the runtime code that it would deploy.
      node.call("eth_call", [{ data: settlementCreationCode(terms) }, "latest"], bytes),
    ]),
  );
  if (found === "0x") return "absent";
  return found === wanted ? "ours" : "another";
}
