// Why signing in or linking a wallet was refused: messages for the person who tried.

import type { MessageField } from "@/lib/chains/sign-in-message";
import { ownOrigin } from "./sign-in/same-origin";

const fieldName: Record<MessageField, string> = {
  domain: "the domain",
  uri: "the URI",
  chain_id: "the chain",
  address: "the wallet's address",
  nonce: "the nonce",
  expiry: "the expiry",
  text: "the text",
};

const texts = {
  nonce_unknown: "This request to sign was used before or is out of date. Try again for a new one.",
  expired: "This request to sign is older than five minutes. Try again for a new one.",
  message_changed: "The wallet signed another text than it was given. Try again, or use another wallet.",
  bad_signature: "The signature is not of this wallet. Check which account is selected in it, and try again.",
  contract_wallet_unavailable: "This may be a smart contract wallet, and the chain could not be asked about it. Try again in a minute.",
  address_invalid: "That is no address on this chain.",
  too_many_challenges: "Too many attempts. Wait a minute, then try again.",
  too_many_attempts: "Too many attempts. Wait a minute, then try again.",
  no_addresses: "No account can be opened at the moment; owners get in as always. Try again in a minute.",
  account_frozen: "This account is frozen, so you cannot link a wallet. Contact support.",
  already_linked: "This wallet is linked to your account already.",
  joining_used:
    "This wallet already has an account with money, keys or history. Nothing was changed. Keep using both accounts, or sign in with that wallet, withdraw its USDC and revoke its keys there.",
  joining_other_wallets:
    "This wallet is linked to another account, which has more wallets. Sign in to that account and unlink it under Settings. Then link it here.",
  joining_frozen: "This wallet's own account is frozen, so it cannot be linked. Contact support.",
  joining_changed: "This wallet's account has changed since it signed. Start again.",
  not_linked: "That wallet is not linked to this account.",
  last_wallet: "This is the account's last wallet. Link another one first: without any, nobody could sign in.",
  invalid_request: "The request cannot be read. Load the page again.",
  csrf: "This page is out of date. Load it again.",
  unavailable: "Signing in does not work at the moment. Try again in a minute.",
} as const;

export type RefusalReason = keyof typeof texts | "wrong_origin";

/** The message for a refusal. `field` is for `message_changed`. */
export function refusalText(reason: RefusalReason, field?: MessageField): string {
  if (reason === "wrong_origin") return `This page was opened at another address. Open ${ownOrigin()} and try again.`;
  if (reason === "message_changed" && field) return `The wallet signed a text in which ${fieldName[field]} was changed. Try again.`;
  return texts[reason];
}

/** The message for the `error` in a page's URL: `bad_signature`, `message_changed:domain`. */
export function refusalTextOf(error: string): string {
  const [reason = "", field = ""] = error.split(":");
  if (reason !== "wrong_origin" && !Object.hasOwn(texts, reason)) return texts.unavailable;
  return refusalText(reason as RefusalReason, Object.hasOwn(fieldName, field) ? (field as MessageField) : undefined);
}
