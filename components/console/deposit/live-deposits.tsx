"use client";

import { ArrowDownToLineIcon } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyState } from "../../ui/empty-state";
import { ListPages } from "../money-list";
import { Panel } from "../panel";
import { useDepositFeed } from "./deposit-feed";
import { DepositList } from "./deposit-list";

interface LiveDepositsProps {
  /** Nano-USD. */
  minimum: bigint;
  /** Shown while there are no deposits. */
  whenEmpty: ReactNode;
}

/** The newest deposits, with confirmations updated live. */
export function LiveDeposits({ minimum, whenEmpty }: LiveDepositsProps) {
  const { view, isLive } = useDepositFeed();
  const { deposits, uncredited, older } = view;
  return (
    <Panel title="Deposits" aside={isLive ? null : "Not up to date at the moment. Trying again…"} className="mt-10">
      {deposits.length === 0 ? (
        <EmptyState picture={<ArrowDownToLineIcon />} title="No deposits yet">
          {whenEmpty}
        </EmptyState>
      ) : (
        <>
          <DepositList deposits={deposits} uncredited={uncredited} minimum={minimum} />
          <ListPages path="/deposit" older={older} isNewest />
        </>
      )}
    </Panel>
  );
}
