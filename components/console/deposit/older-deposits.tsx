import type { DepositView } from "@/lib/console/views/deposit";
import { ListPages, NoneBefore } from "../money-list";
import { Panel } from "../panel";
import { DepositList } from "./deposit-list";

interface OlderDepositsProps {
  view: DepositView;
  /** Nano-USD. */
  minimum: bigint;
}

/** A page of deposits behind the newest one; it stays as it is until it is loaded again. */
export const OlderDeposits = ({ view: { deposits, uncredited, older }, minimum }: OlderDepositsProps) => (
  <Panel title="Older deposits" className="mt-10">
    {deposits.length === 0 ? <NoneBefore what="deposits" /> : <DepositList deposits={deposits} uncredited={uncredited} minimum={minimum} />}
    <ListPages path="/deposit" older={older} isNewest={false} />
  </Panel>
);
