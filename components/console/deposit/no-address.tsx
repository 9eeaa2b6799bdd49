import type { ReactNode } from "react";
import type { Chain } from "@/lib/console/views/chain";
import { ActionLink } from "../../ui/action-link";
import { chainNames } from "../../ui/chain-names";
import { EmptyState } from "../../ui/empty-state";

/** Replaces an address on an unwatched chain, where a payment would go unnoticed. */
export const NoAddress = ({ chain }: { chain: Chain }) => (
  <EmptyState title={`${chainNames[chain]} is not watched here`}>
    Your address on {chainNames[chain]} is kept for you. It is shown as soon as this service looks there for what comes in; until then send
    nothing to it.
  </EmptyState>
);

/** Shown when no chain is watched. */
export const NotWatched = () => (
  <EmptyState title="Deposits are not open here yet">
    Your addresses are kept for you. They are shown as soon as this service watches the chains for what comes in.
  </EmptyState>
);

export const NoAddresses = ({ faucet }: { faucet: ReactNode }) => (
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
