import type { Metadata } from "next";
import { readSite } from "@/app/site";
import { readWalletAccess } from "@/app/wallet-access";
import { Playground } from "@/components/console/playground/playground";
import { StepUp } from "@/components/console/step-up/step-up";
import { listOwnKeys } from "@/lib/console/keys/keys";
import { defaultModelPrice, findModelPrice, listModelPrices } from "@/lib/console/models";
import { readAvailable } from "@/lib/console/owner";
import { findPaymentsOffer } from "@/lib/console/payments/payment-target";
import { listOwnWallets } from "@/lib/console/settings";
import { csrfToken } from "@/lib/console/sign-in/same-origin";
import type { OwnKey } from "@/lib/console/views/keys";
import type { ModelPrice } from "@/lib/console/views/models";
import type { OwnWallet } from "@/lib/console/views/settings";
import { MAX_LARGE_BODY_BYTES } from "@/lib/gateway/http/body-sizes";
import { requestConfirmation } from "../confirmations";
import { forSession } from "../owner-actions";
import { drawOwnPayment } from "../payments/actions";
import { requireOwner } from "../require-owner";
import { allowSpending, findAvailable, findCost } from "./actions";

/** Longer than any model's id. */
const MAX_SHOWN_NAME = 80;

export const metadata: Metadata = { title: "Playground" };

interface PlaygroundPageProps {
  searchParams: Promise<{ model?: string | string[] }>;
}

export default async function PlaygroundPage({ searchParams }: PlaygroundPageProps) {
  const owner = await requireOwner();
  const { model: requested } = await searchParams;
  const models = listModelPrices().filter(({ type }) => type === undefined);
  const name = typeof requested === "string" ? requested : null;
  const chosen = name === null ? null : findModelPrice(models, name);
  const { baseUrl, keyVariable } = readSite();
  const [wallets, keys] = await Promise.all([listOwnWallets(owner), listOwnKeys(owner)]);
  const { requestConfirmation: ask, ...actions } = forSession(owner, {
    requestConfirmation,
    allowSpending,
    findCost,
    readAvailable: findAvailable,
    drawPayment: drawOwnPayment,
  });
  return (
    <StepUp signers={wallets} access={readWalletAccess()} ask={ask}>
      <Playground
        models={models}
        accountId={owner.accountId}
        initialModel={chosen ?? defaultModelPrice(models)}
        link={linkOf(name, chosen)}
        available={await readAvailable(owner.accountId)}
        isFrozen={owner.isFrozen}
        endpoints={{ answerUrl: "/playground/answer", quoteUrl: "/playground/quote", csrfToken: csrfToken(owner) }}
        maxBodyBytes={MAX_LARGE_BODY_BYTES}
        target={{ baseUrl, keyVariable }}
        keyNames={keys.filter(maySend).map(({ name, last4 }) => `${name} (…${last4})`)}
        walletPay={await readWalletPay(wallets)}
        {...actions}
      />
    </StepUp>
  );
}

const maySend = ({ state, scopes }: OwnKey): boolean => state === "active" && scopes.includes("prompt");

const linkOf = (name: string | null, chosen: ModelPrice | null) => {
  if (name === null) return { kind: "none" } as const;
  return chosen ? ({ kind: "chosen" } as const) : ({ kind: "unknown", model: name.slice(0, MAX_SHOWN_NAME) } as const);
};

/** The settings for paying from a wallet; null where that is not offered. */
async function readWalletPay(wallets: readonly OwnWallet[]) {
  const offer = await findPaymentsOffer();
  if (offer.kind !== "open") return null;
  return {
    access: readWalletAccess(),
    target: offer.target,
    minimumCents: offer.minimumCents,
    linked: wallets.filter(({ chain }) => chain === "evm").map(({ address }) => address),
  };
}
