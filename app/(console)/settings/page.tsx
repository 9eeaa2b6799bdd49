import type { Metadata } from "next";
import { readWalletAccess } from "@/app/wallet-access";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { CloseAccount } from "@/components/console/settings/close-account";
import { LinkWalletSlot } from "@/components/console/settings/link-wallet-slot";
import { SessionList } from "@/components/console/settings/session-list";
import { WalletList } from "@/components/console/settings/wallet-list";
import { StepUp } from "@/components/console/step-up/step-up";
import { CopyButton } from "@/components/ui/copy-button";
import { nowMs } from "@/lib/base/clock";
import { readClosingBalance } from "@/lib/console/close-account";
import { readSettings } from "@/lib/console/settings";
import { requestConfirmation } from "../confirmations";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { closeAccount, endSession, keepWallet, linkWallet, proveJoin, signOutEverywhere, startLink, unlinkWallet } from "./actions";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage() {
  const owner = await requireOwner();
  const [{ wallets, sessions, sessionEnds }, closing] = await Promise.all([readSettings(owner), readClosingBalance(owner)]);
  const { days, idleHours } = sessionEnds;
  const actions = forSession(owner, {
    endSession,
    linkWallet,
    proveJoin,
    signOutEverywhere,
    startLink,
    unlinkWallet,
    keepWallet,
    requestConfirmation,
    closeAccount,
  });
  return (
    <div className="max-w-reading">
      <PageHeading title="Settings">Manage your wallets, sessions and account.</PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : null}
      <div className="grid gap-10">
        <Panel title="Wallets" aside="Each wallet can sign in. New ones can receive withdrawals after 24 hours.">
          <StepUp signers={wallets} access={readWalletAccess()} ask={actions.requestConfirmation}>
            <WalletList wallets={wallets} unlink={actions.unlinkWallet} keep={actions.keepWallet} />
          </StepUp>
          <LinkWalletSlot
            disabled={owner.isFrozen}
            access={readWalletAccess()}
            linked={wallets.map(({ chain, address }) => ({ chain, address }))}
            startLink={actions.startLink}
            proveJoin={actions.proveJoin}
            linkWallet={actions.linkWallet}
          />
        </Panel>
        <Panel title="Sessions" aside={`Sessions end after ${countOf(days, "day")}, or after ${countOf(idleHours, "hour")} of inactivity.`}>
          <SessionList sessions={sessions} end={actions.endSession} endAll={actions.signOutEverywhere} nowMs={nowMs()} />
        </Panel>
        <Panel title="Account">
          <p className="flex items-center gap-1 text-sm">
            <span className="mr-3 text-muted">ID</span>
            <span className="min-w-0 font-mono break-all">{owner.accountId}</span>
            <CopyButton quiet text={owner.accountId} label="Copy account ID" />
          </p>
          <p className="mt-1 text-xs text-muted">Include this ID when you contact support. It is not secret.</p>
        </Panel>
        <Panel title="Close account">
          <StepUp signers={wallets} access={readWalletAccess()} ask={actions.requestConfirmation}>
            <CloseAccount {...closing} close={actions.closeAccount} disabled={owner.isFrozen} />
          </StepUp>
        </Panel>
      </div>
    </div>
  );
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
