import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { Skeleton, SkeletonLines } from "@/components/ui/skeleton";

export default function AlertsLoading() {
  return (
    <div role="status" aria-label="Loading alerts">
      <PageHeading title="Alerts">Get notified about deposits, low balance and key activity.</PageHeading>
      <div className="grid gap-10">
        <Panel title="Low balance">
          <Skeleton className="h-16 w-full max-w-96" />
        </Panel>
        <Panel title="Destinations">
          <SkeletonLines count={2} />
        </Panel>
        <Panel title="Deliveries">
          <SkeletonLines count={5} />
        </Panel>
        <Panel title="Events">
          <SkeletonLines count={5} />
        </Panel>
      </div>
    </div>
  );
}
