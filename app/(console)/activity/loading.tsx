import { PageHeading } from "@/components/console/page-heading";
import { Skeleton, SkeletonLines } from "@/components/ui/skeleton";

export default function ActivityLoading() {
  return (
    <div role="status" aria-label="Loading activity">
      <PageHeading title="Activity">
        Who changed what: sessions, wallets, keys, alerts and withdrawals. Nothing here can be changed or deleted.
      </PageHeading>
      <Skeleton className="mb-4 h-14 w-56" />
      <SkeletonLines count={8} />
    </div>
  );
}
