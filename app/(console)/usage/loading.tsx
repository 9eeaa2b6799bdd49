import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { Skeleton, SkeletonLines } from "@/components/ui/skeleton";

export default function Loading() {
  return (
    <>
      <PageHeading title="Usage">Every request, what it cost and why it failed. Days are in UTC, times in your time zone.</PageHeading>
      <Skeleton className="mb-8 h-14 w-full" />
      <Skeleton className="h-16 w-full" />
      <Panel title="Spend" className="mt-8">
        <Skeleton className="h-56 w-full bg-panel md:h-64" />
      </Panel>
      <Panel title="Requests" className="mt-8">
        <SkeletonLines count={10} />
      </Panel>
    </>
  );
}
