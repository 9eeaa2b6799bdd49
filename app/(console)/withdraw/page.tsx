import type { Metadata } from "next";
import { readWalletAccess } from "@/app/wallet-access";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { ListPages } from "@/components/console/money-list";
import { HeadingLink, PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { AllowancePanel } from "@/components/console/withdraw/allowance-panel";
import { WithdrawBox } from "@/components/console/withdraw/withdraw-box";
import { WithdrawalList } from "@/components/console/withdraw/withdrawal-list";
import { Amount } from "@/components/ui/text/amount";
import { nowMs } from "@/lib/base/clock";
import { readAvailable } from "@/lib/console/owner";
import { readWithdrawPage } from "@/lib/console/withdraw/withdraw";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { cancelWithdrawal, startWithdrawal, takeWithdrawal } from "./actions";

export const metadata: Metadata = { title: "Withdraw" };

interface WithdrawPageProps {
  searchParams: Promise<{ before?: string | string[] }>;
}

export default async function WithdrawPage({ searchParams }: WithdrawPageProps) {
  const owner = await requireOwner();
  const { before } = await searchParams;
  const [page, available] = await Promise.all([readWithdrawPage(owner, before), readAvailable(owner.accountId)]);
  const { allowance, least, highestFee, destinations, signers, withdrawals, older } = page;
  const actions = forSession(owner, { cancelWithdrawal, startWithdrawal, takeWithdrawal });
  return (
    <>
      <PageHeading
        title="Withdraw"
        action={
          <p className="text-sm text-muted">
            Available{" "}
            <span className="ml-1 font-mono text-base text-ink">
              <Amount nano={available} />
            </span>
          </p>
        }
      >
        USDC from your balance to one of your own wallets. A linked wallet signs each withdrawal.{" "}
        <HeadingLink href="/docs/withdrawals">How withdrawals work</HeadingLink>
      </PageHeading>
      {owner.isFrozen ? (
        <FrozenNotice />
      ) : (
        <div className="grid gap-10 md:grid-cols-[minmax(0,480px)_minmax(0,1fr)] md:gap-16">
          <WithdrawBox
            {...{ destinations, allowance, least, highestFee, signers }}
            access={readWalletAccess()}
            start={actions.startWithdrawal}
            take={actions.takeWithdrawal}
            nowMs={nowMs()}
          />
          <AllowancePanel allowance={allowance} />
        </div>
      )}
      <Panel title={before === undefined ? "Withdrawals" : "Older withdrawals"} className="mt-10">
        <WithdrawalList withdrawals={withdrawals} cancel={actions.cancelWithdrawal} isNewest={before === undefined} />
        <ListPages path="/withdraw" older={older} isNewest={before === undefined} />
      </Panel>
    </>
  );
}
