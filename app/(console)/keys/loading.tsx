import { PageHeading } from "@/components/console/page-heading";
import { Skeleton } from "@/components/ui/skeleton";

const rows = ["one", "two", "three"];

export default function KeysLoading() {
  return (
    <div role="status" aria-label="Loading API keys">
      <PageHeading title="API keys" action={<Skeleton className="h-10 w-32 rounded" />}>
        Keys let your apps spend from your balance, up to a spending limit. Keep them secret.
      </PageHeading>
      <div className="border-b border-edge py-2 max-md:hidden">
        <Skeleton className="h-4 w-12" />
      </div>
      {rows.map((row) => (
        <div key={row} className="flex items-start justify-between gap-6 border-b border-line py-3">
          <span className="grid grow gap-1.5">
            <Skeleton className="h-5 w-40 max-w-full" />
            <Skeleton className="h-4 w-28 max-w-full" />
          </span>
          <Skeleton className="h-5 w-28 max-md:hidden" />
          <Skeleton className="h-5 w-20" />
        </div>
      ))}
    </div>
  );
}
