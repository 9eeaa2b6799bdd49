import type { ReactNode } from "react";
import { type ChainId, chainName } from "@/lib/base/chains";
import { ActionLink } from "../../ui/action-link";
import { EmptyState } from "../../ui/empty-state";

/** Replaces an address on an unwatched chain, where a payment would go unnoticed. */
export const NoAddress = ({ chain }: { chain: ChainId }) => (
  <EmptyState title={`${chainName(chain)} deposits are not available`}>
    Do not send anything on {chainName(chain)} for now. Your address will be shown here once deposits open.
  </EmptyState>
);

/** Shown when no chain is watched. */
export const NotWatched = () => (
  <EmptyState title="Deposits are not open yet">Your addresses will be shown here once deposits open.</EmptyState>
);

export const NoAddresses = ({ faucet }: { faucet: ReactNode }) => (
  <EmptyState
    title="Your deposit addresses are not ready yet"
    action={
      <>
        {faucet}
        <ActionLink href="/deposit">Check again</ActionLink>
      </>
    }
  >
    They are created when you first sign in. Check again in a minute. If they are still missing, sign out and sign in again.
  </EmptyState>
);
