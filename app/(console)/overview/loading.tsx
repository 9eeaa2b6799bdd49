import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { Skeleton, SkeletonLines } from "@/components/ui/skeleton";

const figures = ["w-40", "w-28", "w-28", "w-28"];
export default function Loading() {
  return (
    <>
      <PageHeading title="Overview" />
      <div className="grid gap-x-8 gap-y-6 max-sm:grid-cols-2 sm:grid-cols-[1.6fr_1fr_1fr_1fr]">
        {figures.map((width, index) => (
          <div key={`${width}${index.toString()}`} className={`grid gap-2 ${index < 2 ? "max-sm:col-span-2" : ""}`}>
            <Skeleton className="h-4 w-20" />
            <Skeleton className={`h-9 ${width}`} />
          </div>
        ))}
      </div>
      <Panel title="Spend, last 30 days" className="mt-10">
        <Skeleton className="h-56 w-full bg-panel md:h-64" />
      </Panel>
      <Panel title="Recent requests" className="mt-10">
        <SkeletonLines count={8} />
      </Panel>
    </>
  );
}
