// What a payer may sign for a request: one offer for each network that can be paid over now.

import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";
import type { Price, X402Network } from "@/lib/payments/x402/network";
import { x402Networks } from "@/lib/payments/x402/networks";
import {
  type PaymentPayload,
  type PaymentRequired,
  type PaymentRequirements,
  type ResourceInfo,
  X402_PATH,
  X402_VERSION,
} from "@/lib/payments/x402/wire";

export interface Offer {
  network: X402Network;
  requirements: PaymentRequirements;
  /** Nobody can pay over it now: what was claimed while one could goes on, and nothing else. */
  isClosed: boolean;
}

/** The offer that was accepted, by its network; null when there is no such network, or nothing can ever have been signed for it. */
export async function findOffer(accepted: PaymentPayload["accepted"], price: Price): Promise<Offer | null> {
  const network = x402Networks().find((known) => known.network === accepted.network);
  if (!network) return null;
  const open = await network.findRequirements(price);
  const requirements = open ?? (await network.findFormerRequirements(price, accepted));
  return requirements && { network, requirements, isClosed: open === null };
}

export async function listRequirements(price: Price): Promise<PaymentRequirements[]> {
  const all = await Promise.all(x402Networks().map((network) => network.findRequirements(price)));
  return all.filter((requirements) => requirements !== null);
}

const MOST_NAME_CHARACTERS = 32;

/** What is paid for, as x402 describes it. */
export function resource(): ResourceInfo {
  const { MODE, SERVICE_NAME } = config();
  const kind = MODE === "sandbox" ? " A sandbox: models and money are simulated." : "";
  return {
    url: `${publicUrl()}${X402_PATH}`,
    description: `An AI model's answer to one prompt. The price is the most that it can cost; what it costs less is kept as a credit of the paying address.${kind}`,
    mimeType: "application/json",
    serviceName: SERVICE_NAME.slice(0, MOST_NAME_CHARACTERS),
  };
}

export const paymentRequired = (accepts: readonly PaymentRequirements[], error: string): PaymentRequired => ({
  x402Version: X402_VERSION,
  error,
  resource: resource(),
  accepts,
});
