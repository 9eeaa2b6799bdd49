import type { Metadata } from "next";
import type { ReactNode } from "react";
import { readSite } from "@/app/site";
import { AddressCard } from "@/components/console/deposit/address-card";
import { DepositList } from "@/components/console/deposit/deposit-list";
import { chainNames, type DepositChain } from "@/components/console/deposit/deposit-types";
import { FaucetButton } from "@/components/console/deposit/faucet-button";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { ActionLink } from "@/components/ui/action-link";
import { Amount } from "@/components/ui/amount";
import { EmptyState } from "@/components/ui/empty-state";
import { Tabs } from "@/components/ui/tabs";
import { areDepositsOpen, findDepositAddresses, listDeposits, MINIMUM_DEPOSIT } from "@/lib/console/deposit";
import { faucetAmount } from "@/lib/console/faucet";
import { readAvailable } from "@/lib/console/owner";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { askForTestMoney } from "./actions";

export const metadata: Metadata = { title: "Deposit" };

const chains: readonly DepositChain[] = ["base", "solana"];

export default async function DepositPage() {
  const owner = await requireOwner();
  const { accountId, isFrozen } = owner;
  const [addresses, deposits, available] = await Promise.all([
    findDepositAddresses(accountId),
    listDeposits(accountId),
    readAvailable(accountId),
  ]);
  const { isSandbox } = readSite();
  const amount = faucetAmount();
  const faucet = amount === null ? null : <FaucetButton amount={amount} onAsk={forSession(owner, { askForTestMoney }).askForTestMoney} />;
  return (
    <>
      <PageHeading
        title="Deposit"
        action={
          <p className="text-sm text-muted">
            Available{" "}
            <span className="ml-1 font-mono text-base text-ink">
              <Amount nano={available} />
            </span>
          </p>
        }
      >
        USDC that reaches one of your addresses is yours to spend here, dollar for dollar.
      </PageHeading>
      {isFrozen ? <FrozenNotice /> : null}
      {isFrozen ? null : !areDepositsOpen() ? (
        <NotOpen />
      ) : addresses ? (
        <Tabs
          label="Chain"
          tabs={chains.map((chain) => ({
            value: chain,
            title: chainNames[chain],
            content: <AddressCard {...addresses[chain]} isSandbox={isSandbox} minimum={MINIMUM_DEPOSIT} faucet={faucet} />,
          }))}
        />
      ) : (
        <NoAddresses faucet={faucet} />
      )}
      <Panel title="Deposits" className="mt-10">
        <DepositList deposits={deposits} isSandbox={isSandbox} />
      </Panel>
    </>
  );
}

const NotOpen = () => (
  <EmptyState title="Deposits are not open here yet">
    Your addresses are kept for you. They are shown as soon as this service watches the chains for what comes in.
  </EmptyState>
);

const NoAddresses = ({ faucet }: { faucet: ReactNode }) => (
  <EmptyState
    title="Your addresses are not there yet"
    action={
      <>
        {faucet}
        <ActionLink href="/deposit">Look again</ActionLink>
      </>
    }
  >
    They are given at the first sign-in. Look again in a minute; if they stay away, sign out and connect your wallet anew.
  </EmptyState>
);
