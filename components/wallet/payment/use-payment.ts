"use client";

import { useState } from "react";
import { ALREADY_ASKING, isObject, isRejection } from "../wallet-error";
import { type PayingWallet, PaymentProblem } from "./paying-wallet";

export type PaymentState =
  | { step: "ready" }
  | { step: "signing" }
  | { step: "sent" | "paid"; transaction: string }
  | { step: "failed"; message: string };

/** The chain that a payment is on, and the coin of its fees. */
export interface FeeChain {
  chainName: string;
  feeCoin: string;
}

export const lacksFeeText = ({ chainName, feeCoin }: FeeChain): string =>
  `Not enough ${feeCoin} on ${chainName} for the network fee. Add a few cents of ${feeCoin} to this wallet.`;

const LACKS_FEE =
  /exceeds (the )?balance (of the account|for gas)|insufficient funds for (gas|intrinsic)|insufficient lamports|debit an account/i;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /chain ?mismatch|does not match the (target|connection's) chain|current chain/i,
    "The wallet switched to another network. Switch it back, then try again.",
  ],
  [
    /transfer amount exceeds balance|insufficient funds|custom program error: 0x1\b/i,
    "This wallet does not have that much USDC. Enter a smaller amount.",
  ],
  [/demo wallet sends/i, "The demo wallet can only send test USDC to your own deposit address and approve payments here."],
];

/** Runs one payment at a time. */
export function usePayment({ pay }: Pick<PayingWallet, "pay">, chain: FeeChain) {
  const [state, setState] = useState<PaymentState>({ step: "ready" });
  const run = async (units: bigint): Promise<void> => {
    let transaction = "";
    const sent = (name: string) => {
      transaction = name;
      setState({ step: "sent", transaction });
    };
    setState({ step: "signing" });
    try {
      await pay(units, sent);
      setState({ step: "paid", transaction });
    } catch (error) {
      setState({ step: "failed", message: paymentWords(error, chain) });
    }
  };
  return { state, pay: run, again: () => setState({ step: "ready" }) };
}

/** The problem and its cure. Nothing was sent, unless the message says otherwise. */
function paymentWords(error: unknown, chain: FeeChain): string {
  if (error instanceof PaymentProblem) return error.message;
  const said = textOf(error);
  if (LACKS_FEE.test(said)) return lacksFeeText(chain);
  const known = WORDS.find(([pattern]) => pattern.test(said));
  if (known) return known[1];
  if (isRejection(error)) return "You declined in the wallet. Nothing was sent.";
  if (isObject(error) && error.code === ALREADY_ASKING) return "Your wallet has an open request. Answer it there first.";
  return "The wallet did not send it. Unlock it, check its activity, then try again.";
}

/** The messages of an error and its causes. */
function textOf(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; isObject(cause) && texts.length < 10; cause = cause.cause ?? cause.error)
    texts.push(`${cause.name ?? ""} ${cause.message ?? ""}`);
  return texts.join("\n");
}
