import { Skeleton } from "@/components/ui/skeleton";

export default function PlaygroundLoading() {
  return (
    <>
      <Skeleton className="h-7 w-32" />
      <Skeleton className="mt-2 mb-6 h-5 w-full max-w-[560px]" />
      <div className="grid gap-x-10 gap-y-6 border-t border-line pt-5 lg:grid-cols-[280px_minmax(0,1fr)]">
        <div className="grid content-start gap-4">
          <Skeleton className="h-5 w-16" />
          <Skeleton className="h-10 w-full" />
          <Skeleton className="h-20 w-full max-lg:hidden" />
          <Skeleton className="h-10 w-full max-lg:hidden" />
        </div>
        <div className="grid content-start gap-4">
          <Skeleton className="h-60 w-full" />
          <Skeleton className="h-28 w-full" />
        </div>
      </div>
    </>
  );
}
