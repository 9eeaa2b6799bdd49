import { Skeleton } from "@/components/ui/skeleton";

export default function PlaygroundLoading() {
  return (
    <>
      <Skeleton className="h-7 w-32" />
      <Skeleton className="mt-2 mb-6 h-5 w-full max-w-[560px]" />
      <div className="grid gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="grid content-start gap-4 border-t border-line pt-4">
          <Skeleton className="h-5 w-16" />
          <Skeleton className="h-10 w-full" />
          <Skeleton className="h-16 w-full" />
          <Skeleton className="h-40 w-full" />
          <Skeleton className="h-10 w-full" />
        </div>
        <div className="grid content-start gap-4 border-t border-line pt-4">
          <Skeleton className="h-5 w-16" />
          <Skeleton className="h-60 w-full" />
        </div>
      </div>
    </>
  );
}
