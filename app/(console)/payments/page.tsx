import type { Metadata } from "next";
import { readWalletAccess } from "@/app/wallet-access";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { ListPages } from "@/components/console/money-list";
import { HeadingLink, PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { AllowanceSlot } from "@/components/console/payments/allowance-slot";
import { CreditList } from "@/components/console/payments/credit-list";
import { PaymentList } from "@/components/console/payments/payment-list";
import { EmptyState } from "@/components/ui/empty-state";
import { PageRefresh } from "@/components/ui/page-refresh";
import { faucetAmount } from "@/lib/console/deposit/faucet";
import type { Owner } from "@/lib/console/owner";
import { readPaymentsPage } from "@/lib/console/payments/payments";
import type { PaymentsOffer } from "@/lib/console/views/payments";
import { requestTestMoney } from "../deposit/actions";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { claimCredit } from "./actions";

export const metadata: Metadata = { title: "Pay per request" };

interface PaymentsPageProps {
  searchParams: Promise<{ before?: string | string[] }>;
}

export default async function PaymentsPage({ searchParams }: PaymentsPageProps) {
  const owner = await requireOwner();
  const { before } = await searchParams;
  const { offer, credits, payments, older } = await readPaymentsPage(owner, before);
  return (
    <>
      <PageHeading title="Pay per request">
        Pay for a single request with a signature from your wallet, in USDC on Base. Approve an allowance first. Each payment is taken
        before the model runs; what the answer doesn’t cost stays yours. <HeadingLink href="/docs/payments">How payments work</HeadingLink>{" "}
        · <HeadingLink href="/playground">Try it</HeadingLink>
      </PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : null}
      <div className="grid gap-10">
        <Panel title="Wallet and allowance">
          <Allowance offer={offer} owner={owner} />
        </Panel>
        <Panel title="Wallet credits">
          <CreditList credits={credits} isFrozen={owner.isFrozen} claim={forSession(owner, { claimCredit }).claimCredit} />
        </Panel>
        <Panel title="Payments">
          <PaymentList payments={payments} isNewest={before === undefined} />
          <ListPages path="/payments" older={older} isNewest={before === undefined} />
        </Panel>
      </div>
    </>
  );
}

function Allowance({ offer, owner }: { offer: PaymentsOffer; owner: Owner }) {
  if (offer.kind !== "open") return <NoOffer isComing={offer.kind === "coming"} />;
  const testMoney = faucetAmount() === null || owner.isFrozen ? null : forSession(owner, { requestTestMoney }).requestTestMoney;
  return <AllowanceSlot access={readWalletAccess()} target={offer.target} requestTestMoney={testMoney} />;
}

const LOOKS_EVERY_MS = 3_000;

/** Replaces the allowance while there is no contract to approve. */
const NoOffer = ({ isComing }: { isComing: boolean }) =>
  isComing ? (
    <>
      <PageRefresh everyMs={LOOKS_EVERY_MS} />
      <EmptyState title="Pay per request is not ready yet">
        The payment contract is being deployed, or Base does not respond. This page updates automatically.
      </EmptyState>
    </>
  ) : (
    <EmptyState title="Pay per request is not available here">
      This service does not accept wallet payments on Base right now. Requests are paid from your balance.
    </EmptyState>
  );
