import type { Metadata } from "next";
import { readWalletAccess } from "@/app/wallet-access";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { ListPages } from "@/components/console/money-list";
import { HeadingLink, PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { StepUp } from "@/components/console/step-up/step-up";
import { OwnRules } from "@/components/console/withdraw/own-rules";
import { WithdrawBox } from "@/components/console/withdraw/withdraw-box";
import { WithdrawalList } from "@/components/console/withdraw/withdrawal-list";
import { nowMs } from "@/lib/base/clock";
import { listOwnWallets } from "@/lib/console/settings";
import { readWithdrawPage } from "@/lib/console/withdraw/withdraw";
import { requestConfirmation } from "../confirmations";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { cancelWithdrawal, setRules, startWithdrawal, takeWithdrawal } from "./actions";

export const metadata: Metadata = { title: "Withdraw" };

interface WithdrawPageProps {
  searchParams: Promise<{ before?: string | string[] }>;
}

export default async function WithdrawPage({ searchParams }: WithdrawPageProps) {
  const owner = await requireOwner();
  const { before } = await searchParams;
  const { rules, allowance, least, highestFee, solanaFees, destinations, signers, withdrawals, older } = await readWithdrawPage(
    owner,
    before,
  );
  const actions = forSession(owner, { cancelWithdrawal, startWithdrawal, takeWithdrawal, setRules, requestConfirmation });
  const wallets = await listOwnWallets(owner);
  return (
    <>
      <PageHeading title="Withdraw">
        Send USDC from your balance to one of your linked wallets. You sign each withdrawal with a linked wallet.{" "}
        <HeadingLink href="/docs/withdrawals">How withdrawals work</HeadingLink>
      </PageHeading>
      {owner.isFrozen ? (
        <FrozenNotice isLeaving={owner.isLeaving} />
      ) : (
        <WithdrawBox
          destinations={destinations}
          allowance={allowance}
          least={least}
          highestFee={highestFee}
          solanaFees={solanaFees}
          signers={signers}
          access={readWalletAccess()}
          start={actions.startWithdrawal}
          take={actions.takeWithdrawal}
          nowMs={nowMs()}
        />
      )}
      <Panel title={before === undefined ? "Withdrawals" : "Older withdrawals"} className="mt-10">
        <WithdrawalList withdrawals={withdrawals} cancel={actions.cancelWithdrawal} isNewest={before === undefined} />
        <ListPages path="/withdraw" older={older} isNewest={before === undefined} />
      </Panel>
      <Panel title="Your rules" aside="Stricter limits apply immediately; looser ones after 24 hours." className="mt-10">
        <StepUp signers={wallets} access={readWalletAccess()} ask={actions.requestConfirmation}>
          <OwnRules
            key={`${rules.dailyLimit} ${rules.waitSeconds} ${rules.destinations.length} ${rules.inForce?.until.getTime()}`}
            rules={rules}
            wallets={wallets}
            save={actions.setRules}
            disabled={owner.isFrozen}
          />
        </StepUp>
      </Panel>
    </>
  );
}
