import type { Metadata } from "next";
import { getExampleModel } from "@/app/examples";
import { readSite } from "@/app/site";
import { readWalletAccess } from "@/app/wallet-access";
import { Playground } from "@/components/console/playground/playground";
import { listModelPrices } from "@/lib/console/models";
import { type Owner, readAvailable } from "@/lib/console/owner";
import { findPaymentsOffer } from "@/lib/console/payments/payment-target";
import { listOwnWallets } from "@/lib/console/settings";
import { csrfToken } from "@/lib/console/sign-in/same-origin";
import { forSession } from "../owner-actions";
import { drawOwnPayment } from "../payments/actions";
import { requireOwner } from "../require-owner";
import { findAvailable, findCost } from "./actions";

export const metadata: Metadata = { title: "Playground" };

interface PlaygroundPageProps {
  searchParams: Promise<{ model?: string | string[] }>;
}

export default async function PlaygroundPage({ searchParams }: PlaygroundPageProps) {
  const owner = await requireOwner();
  const { model: requested } = await searchParams;
  const models = listModelPrices();
  const { baseUrl, keyVariable } = readSite();
  return (
    <Playground
      models={models}
      initialModel={(models.find(({ id }) => id === requested) ?? getExampleModel(models)).id}
      available={await readAvailable(owner.accountId)}
      isFrozen={owner.isFrozen}
      endpoints={{ answerUrl: "/playground/answer", quoteUrl: "/playground/quote", csrfToken: csrfToken(owner) }}
      target={{ baseUrl, keyVariable }}
      walletPay={await readWalletPay(owner)}
      {...forSession(owner, { findCost, readAvailable: findAvailable, drawPayment: drawOwnPayment })}
    />
  );
}

/** The settings for paying from a wallet; null where that is not offered. */
async function readWalletPay(owner: Owner) {
  const [offer, wallets] = await Promise.all([findPaymentsOffer(), listOwnWallets(owner)]);
  if (offer.kind !== "open") return null;
  return {
    access: readWalletAccess(),
    target: offer.target,
    minimumCents: offer.minimumCents,
    linked: wallets.filter(({ chain }) => chain === "evm").map(({ address }) => address),
  };
}
