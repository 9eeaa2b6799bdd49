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
  nonce_unknown: "This signature request was already used or has expired. Try again.",
  expired: "This signature request expired after five minutes. Try again.",
  message_changed: "The wallet signed a different text. Try again, or use another wallet.",
  bad_signature: "The signature does not match this wallet. Check which account is selected in it, then try again.",
  contract_wallet_unavailable:
    "This may be a smart contract wallet, and we could not check its signature on the chain. Try again in a minute.",
  address_invalid: "That is not a valid address on this chain.",
  too_many_attempts: "Too many attempts. Wait a minute, then try again.",
  too_many_sign_ins:
    "This wallet signed in too often in the last 24 hours. Use a browser that is signed in, another wallet of yours, or try again tomorrow.",
  too_many_accounts:
    "Too many new accounts were opened from your network in the last 24 hours. Existing accounts still sign in. Try again tomorrow, or from another network.",
  no_addresses: "New accounts cannot be opened right now. Existing accounts still sign in. Try again in a minute.",
  wallet_excepted: "Sign with another wallet. This one is the wallet you want to change, or was linked less than 24 hours ago.",
  wallet_new: "Your other wallets were linked less than 24 hours ago. They can sign this one day after they were linked.",
  account_frozen: "This account is frozen, so you cannot link a wallet. Contact support.",
  already_linked: "This wallet is already linked to your account.",
  joining_used:
    "This wallet has its own account with money, keys or history, so it cannot be merged. Nothing was changed. Keep using both accounts, or withdraw its USDC and deposit it here.",
  joining_other_wallets:
    "This wallet is linked to another account, which has more wallets. Sign in to that account and unlink it under Settings. Then link it here.",
  joining_frozen: "This wallet's own account is frozen, so it cannot be linked. Contact support.",
  joining_changed: "This wallet's account has changed since it signed. Start again.",
  not_linked: "That wallet is not linked to this account.",
  last_wallet: "This is your last wallet. Link another one first, or you could not sign in again.",
  invalid_request: "The request could not be read. Reload the page.",
  csrf: "This page is out of date. Reload it.",
  unavailable: "Sign-in is not available right now. Try again in a minute.",
} as const;

export type RefusalReason = keyof typeof texts | "wrong_origin";

/** The message for a refusal. `field` is for `message_changed`. */
export function refusalText(reason: RefusalReason, field?: MessageField): string {
  if (reason === "wrong_origin") return `This page was opened at another address. Open ${ownOrigin()} and try again.`;
  if (reason === "message_changed" && field) return `The wallet changed ${fieldName[field]} in the text that it signed. Try again.`;
  return texts[reason];
}

/** The message for the `error` in a page's URL: `bad_signature`, `message_changed:domain`. */
export function refusalTextOf(error: string): string {
  const [reason = "", field = ""] = error.split(":");
  if (reason !== "wrong_origin" && !Object.hasOwn(texts, reason)) return texts.unavailable;
  return refusalText(reason as RefusalReason, Object.hasOwn(fieldName, field) ? (field as MessageField) : undefined);
}
