import { PageHeading } from "@/components/console/page-heading";
import { Panel } from "@/components/console/panel";
import { Skeleton } from "@/components/ui/skeleton";

const panels = ["Wallets", "Sessions"];

export default function SettingsLoading() {
  return (
    <div role="status" aria-label="Loading settings" className="max-w-reading">
      <PageHeading title="Settings">Your wallets and your sessions.</PageHeading>
      <div className="grid gap-10">
        {panels.map((title) => (
          <Panel key={title} title={title}>
            <div className="flex items-center gap-3">
              <Skeleton className="size-10 rounded-full" />
              <span className="grid gap-1.5">
                <Skeleton className="h-5 w-36" />
                <Skeleton className="h-4 w-48" />
              </span>
            </div>
            <Skeleton className="mt-6 h-10 w-44 rounded" />
          </Panel>
        ))}
      </div>
    </div>
  );
}
