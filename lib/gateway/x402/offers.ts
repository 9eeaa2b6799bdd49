// The offers that a payer may sign for a request: one for each network that can be paid over now.

import { config } from "@/lib/base/config";
import { publicUrl } from "@/lib/base/public-url";
import { evmNetwork } from "@/lib/payments/x402/evm";
import type { Price, X402Network } from "@/lib/payments/x402/network";
import { svmNetwork } from "@/lib/payments/x402/svm";
import { type PaymentPayload, type PaymentRequirements, type ResourceInfo, X402_PATH } from "@/lib/payments/x402/wire";

export interface Offer {
  network: X402Network;
  requirements: PaymentRequirements;
}

type Accepted = PaymentPayload["accepted"];

const networkNamed = (name: string) => x402Networks().find(({ network }) => network === name);

/** The current requirements on the network that was accepted; null while nobody can pay over it. */
export async function findOffer(accepted: Accepted, price: Price): Promise<Offer | null> {
  const network = networkNamed(accepted.network);
  const requirements = network && (await network.findRequirements(price));
  return network && requirements ? { network, requirements } : null;
}

/** The requirements that this payment may have been signed for; null when there can be none. */
export async function findFormerOffer(accepted: Accepted, price: Price): Promise<Offer | null> {
  const network = networkNamed(accepted.network);
  const requirements = network && (await network.findFormerRequirements(price, accepted));
  return network && requirements ? { network, requirements } : null;
}

export async function listRequirements(price: Price): Promise<PaymentRequirements[]> {
  const all = await Promise.all(x402Networks().map((network) => network.findRequirements(price)));
  return all.filter((requirements) => requirements !== null);
}

const MAX_NAME_CHARACTERS = 32;

/** The paid resource, as x402 describes it. */
export function resource(): ResourceInfo {
  const { MODE, SERVICE_NAME } = config();
  const kind = MODE === "sandbox" ? " A sandbox: models and money are simulated." : "";
  return {
    url: `${publicUrl()}${X402_PATH}`,
    description: `An AI model's answer to one prompt. You pay the maximum it can cost; the rest stays as credit for the paying address.${kind}`,
    mimeType: "application/json",
    serviceName: SERVICE_NAME.slice(0, MAX_NAME_CHARACTERS),
  };
}

/** In the order that payers should prefer. */
const x402Networks = (): readonly X402Network[] => [evmNetwork(), svmNetwork()];
