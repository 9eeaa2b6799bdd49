// Why a withdrawal was refused: messages for its owner, with the form's field that they concern.

import { formatUsd } from "@/lib/base/money";
import type { WithdrawalChain } from "@/lib/wallets/custody/withdrawal-order";
import type { DestinationFault } from "@/lib/wallets/withdrawals/destination";
import type { ChainShort, RequestRefusal } from "@/lib/wallets/withdrawals/request";
import { MAX_OPEN, minWithdrawal } from "@/lib/wallets/withdrawals/rules";
import { refuse } from "../answer";
import type { Refusal } from "../views/answer";

const chainNames: Readonly<Record<WithdrawalChain, string>> = { base: "Base", solana: "Solana" };

function destinationText(fault: DestinationFault, chain: WithdrawalChain): string {
  const name = chainNames[chain];
  const texts: Readonly<Record<DestinationFault, string>> = {
    malformed: `This is no address on ${name}. Choose one of your linked wallets.`,
    checksum: "A letter of this address is wrong: its capitals do not fit. Copy it again.",
    other_chain: `This is an address of another chain. Choose a wallet on ${name}.`,
    token: "This is the token itself, not a wallet: what is sent there is lost.",
    own: "This is an address of this service, not a wallet of yours.",
    program: "This is a program's address, which no wallet can sign for. Choose one of your wallets.",
    token_account: "This is a token account. Choose the wallet that owns it.",
    blacklisted: "The issuer of USDC refuses transfers to this address. Choose another wallet.",
  };
  return texts[fault];
}

const plainTexts = {
  too_fine: "Use at most 6 decimal places: USDC has no smaller unit.",
  chain_unavailable: "The chain cannot be asked at the moment. Nothing was withdrawn. Try again in a minute.",
  expired: "More than ten minutes passed before it was signed. Nothing was withdrawn. Review it again.",
  bad_signature: "The signature is not of this wallet, or of another text. Nothing was withdrawn. Check which account is selected in it.",
  contract_wallet_unavailable: "This may be a smart contract wallet, and the chain could not be asked about it. Try again in a minute.",
  frozen: "This account is frozen: no money leaves it. Ask whoever runs this service.",
  signer_not_linked: "The wallet that signed is not linked to this account. Sign with one that is.",
  nonce_used: "This order was sent before with other content. Nothing more was withdrawn. Review it again.",
} as const;

/** The message for a refused withdrawal. */
export function withdrawalRefusal(refusal: RequestRefusal, chain: WithdrawalChain): Refusal {
  switch (refusal.reason) {
    case "destination":
      return refuse(destinationText(refusal.fault, chain), "destination");
    case "destination_not_linked":
      return refuse("This wallet is not linked to your account. Link it in the settings; it is paid 24 hours later.", "destination");
    case "destination_too_new":
      return refuse(`This wallet was linked less than 24 hours ago. It is paid from ${momentOf(refusal.since)} on.`, "destination");
    case "below_minimum":
      return refuse(`The least is ${formatUsd(refusal.least)}.`, "amount");
    case "too_fine":
      return refuse(plainTexts.too_fine, "amount");
    case "fee_changed":
      return refuse(`The fee is ${formatUsd(refusal.fee)} now. Nothing was withdrawn. Review it again.`);
    case "insufficient":
      return refuse(`With the fee this is more than can leave: ${formatUsd(refusal.most)}.`, "amount");
    case "account_limit":
      return refuse(`Of what your account may take out in 24 hours, ${formatUsd(refusal.most)} is left.`, "amount");
    case "service_limit":
      return refuse(`Of what this service pays out in 24 hours, ${formatUsd(refusal.most)} is left. Try less, or later.`, "amount");
    case "chain_funds":
      return refuse(shortageText(refusal, chain), "amount");
    case "too_many_open":
      return refuse(`${MAX_OPEN} withdrawals are on their way already. Wait until one of them has arrived.`);
    default:
      return refuse(plainTexts[refusal.reason]);
  }
}

/** Money held on one chain cannot leave on the other: the message names the other chain only where it has at least the minimum. */
function shortageText({ funds }: ChainShort, chain: WithdrawalChain): string {
  const [left, other] = [funds[chain] ?? 0n, chain === "base" ? "solana" : "base"] as const;
  const isOtherOpen = (funds[other] ?? minWithdrawal()) >= minWithdrawal();
  const elsewhere = isOtherOpen ? `Choose ${chainNames[other]}` : null;
  if (left < minWithdrawal()) return `On ${chainNames[chain]} nothing can leave at the moment. ${elsewhere ?? "Try again later"}.`;
  const smaller = elsewhere ? `${elsewhere}, or a smaller amount.` : "Choose a smaller amount.";
  return `On ${chainNames[chain]} ${formatUsd(left)} can leave at the moment. ${smaller}`;
}

/** `22 Nov 2026, 10:31 UTC` */
const momentOf = (at: Date): string =>
  `${new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" }).format(at)} UTC`;
