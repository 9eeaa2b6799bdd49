"use client";

import { ArrowDownToLineIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { DepositView } from "@/lib/console/views/deposit";
import { EmptyState } from "../../ui/empty-state";
import { useAccount } from "../account/account-provider";
import { ListPages } from "../money-list";
import { Panel } from "../panel";
import { DepositList } from "./deposit-list";
import { useDepositNews } from "./deposit-news";

interface LiveDepositsProps {
  view: DepositView;
  /** Nano-USD. */
  minimum: bigint;
  /** Shown while there are no deposits. */
  whenEmpty: ReactNode;
}

/** The newest deposits; their changes are announced to screen readers. */
export function LiveDeposits({ view, minimum, whenEmpty }: LiveDepositsProps) {
  const { isLive } = useAccount();
  const news = useDepositNews(view);
  const { deposits, uncredited, older } = view;
  return (
    <Panel title="Deposits" aside={isLive ? null : "Not up to date. Reconnecting…"} className="mt-10">
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
      <p role="status" className="sr-only">
        {news}
      </p>
    </Panel>
  );
}
