import type { DepositView } from "@/lib/console/views/deposit";
import { EmptyState } from "../../ui/empty-state";
import { Panel } from "../panel";
import { DepositList } from "./deposit-list";
import { DepositPages } from "./deposit-pages";

interface OlderDepositsProps {
  view: DepositView;
  /** Nano-USD. */
  minimum: bigint;
}

/** A page of deposits behind the newest one; it stays as it is until it is loaded again. */
export const OlderDeposits = ({ view: { deposits, uncredited, older }, minimum }: OlderDepositsProps) => (
  <Panel title="Older deposits" className="mt-10">
    {deposits.length === 0 ? (
      <EmptyState title="No deposits before these">The newest ones are on the first page.</EmptyState>
    ) : (
      <DepositList deposits={deposits} uncredited={uncredited} minimum={minimum} />
    )}
    <DepositPages older={older} isNewest={false} />
  </Panel>
);
