import { Skeleton } from "@/components/ui/skeleton";

export default function DepositLoading() {
  return (
    <>
      <Skeleton className="h-7 w-24" />
      <Skeleton className="mt-2 mb-6 h-5 w-full max-w-[520px]" />
      <Skeleton className="h-10 w-32" />
      <div className="mt-5 grid gap-6 sm:grid-cols-[208px_minmax(0,1fr)]">
        <Skeleton className="aspect-square w-full" />
        <div className="grid content-start gap-4">
          <Skeleton className="h-11 w-full max-w-[420px]" />
          <Skeleton className="h-11 w-full" />
          <Skeleton className="h-10 w-44" />
        </div>
      </div>
      <Skeleton className="mt-10 h-48 w-full" />
    </>
  );
}
