// Why a withdrawal was refused: messages for its owner, with the form's field that they concern.

import { type ChainId, chainName, otherChains } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import type { DestinationFault } from "@/lib/wallets/withdrawals/destination";
import type { ChainShort, RequestRefusal } from "@/lib/wallets/withdrawals/request";
import { MAX_OPEN, minWithdrawal } from "@/lib/wallets/withdrawals/rules";
import { refuse } from "../answer";
import type { Refusal } from "../views/answer";

function destinationText(fault: DestinationFault, chain: ChainId): string {
  const name = chainName(chain);
  const texts: Readonly<Record<DestinationFault, string>> = {
    malformed: `This is not a ${name} address. Choose one of your linked wallets.`,
    checksum: "This address has a typo: its checksum does not match. Copy it again.",
    other_chain: `This address belongs to another network. Choose a wallet on ${name}.`,
    token: "This is the token contract, not a wallet. Anything sent there is lost.",
    own: "This address belongs to this service. Choose one of your own wallets.",
    program: "This is a program address. Choose one of your wallets.",
    token_account: "This is a token account. Choose the wallet that owns it.",
    blacklisted: "The issuer of USDC refuses transfers to this address. Choose another wallet.",
  };
  return texts[fault];
}

const plainTexts = {
  too_fine: "Use at most 6 decimal places.",
  chain_unavailable: "The network is not responding. Nothing was withdrawn. Try again in a minute.",
  expired: "The order expired after ten minutes. Nothing was withdrawn. Review it again.",
  bad_signature: "The signature does not match this wallet. Nothing was withdrawn. Check which account is selected in the wallet.",
  contract_wallet_unavailable: "The network is not responding, so the wallet's signature could not be checked. Try again in a minute.",
  frozen: "This account is frozen, so you cannot withdraw. Contact support.",
  signer_not_linked: "The wallet that signed is not linked to this account. Sign with a linked wallet.",
  nonce_used: "This order was already submitted with different details. Nothing more was withdrawn. Review it again.",
} as const;

/** The message for a refused withdrawal. */
export function withdrawalRefusal(refusal: RequestRefusal, chain: ChainId): Refusal {
  switch (refusal.reason) {
    case "destination":
      return refuse(destinationText(refusal.fault, chain), "destination");
    case "destination_not_linked":
      return refuse(
        "This wallet is not linked to your account. Link it in Settings. Withdrawals to it unlock after 24 hours.",
        "destination",
      );
    case "destination_too_new":
      return refuse(
        `This wallet was linked less than 24 hours ago. Withdrawals to it unlock on ${momentOf(refusal.since)}.`,
        "destination",
      );
    case "destination_not_allowed":
      return refuse("Your rules do not allow this wallet. You can change them below; the change applies after 24 hours.", "destination");
    case "below_minimum":
      return refuse(`Minimum: ${formatUsd(refusal.least)}.`, "amount");
    case "too_fine":
      return refuse(plainTexts.too_fine, "amount");
    case "fee_changed":
      return refuse(`The fee is ${formatUsd(refusal.fee)} now. Nothing was withdrawn. Review it again.`);
    case "insufficient":
      return refuse(`This amount plus the fee exceeds the ${formatUsd(refusal.most)} that you can withdraw now.`, "amount");
    case "account_limit":
      return refuse(`This exceeds your 24-hour limit, of which ${formatUsd(refusal.most)} is left.`, "amount");
    case "own_limit":
      return refuse(
        `This exceeds the 24-hour limit you set, of which ${formatUsd(refusal.most)} is left. You can raise it below; that applies after 24 hours.`,
        "amount",
      );
    case "service_limit":
      return refuse(`A single withdrawal can be at most ${formatUsd(refusal.most)}. Enter a smaller amount.`, "amount");
    case "chain_funds":
      return refuse(shortageText(refusal, chain), "amount");
    case "too_many_open":
      return refuse(`You already have ${MAX_OPEN} open withdrawals. Wait until one of them is paid, or cancel one.`);
    default:
      return refuse(plainTexts[refusal.reason]);
  }
}

/** Money held on one chain cannot leave on the other: the message names only chains that have at least the minimum. */
function shortageText({ funds }: ChainShort, chain: ChainId): string {
  const left = funds[chain] ?? 0n;
  const open = otherChains(chain).filter((other) => (funds[other] ?? minWithdrawal()) >= minWithdrawal());
  const elsewhere = open.length > 0 ? `Choose ${open.map(chainName).join(" or ")}` : null;
  if (left < minWithdrawal()) return `Nothing can be withdrawn on ${chainName(chain)} right now. ${elsewhere ?? "Try again later"}.`;
  const smaller = elsewhere ? `${elsewhere} or a smaller amount.` : "Choose a smaller amount.";
  return `Only ${formatUsd(left)} can be withdrawn on ${chainName(chain)} right now. ${smaller}`;
}

/** `22 Nov 2026, 10:31 UTC` */
const momentOf = (at: Date): string =>
  `${new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" }).format(at)} UTC`;
