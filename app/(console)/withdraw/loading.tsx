import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { Skeleton } from "@/components/ui/skeleton";

export default function WithdrawLoading() {
  return (
    <div role="status" aria-label="Loading withdrawals">
      <PageHeading title="Withdraw">
        Send USDC from your balance to one of your linked wallets. Each withdrawal is signed by a linked wallet.
      </PageHeading>
      <div className="grid gap-10 md:grid-cols-[minmax(0,480px)_minmax(0,1fr)] md:gap-16">
        <div className="grid gap-5">
          <Skeleton className="h-16 w-full" />
          <Skeleton className="h-20 w-full" />
          <Skeleton className="h-16 w-full" />
          <Skeleton className="h-28 w-full" />
          <Skeleton className="h-10 w-24" />
        </div>
        <Skeleton className="h-40 w-48" />
      </div>
      <Panel title="Withdrawals" className="mt-10">
        <Skeleton className="h-48 w-full" />
      </Panel>
    </div>
  );
}
