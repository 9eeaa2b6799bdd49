import { Skeleton } from "@/components/ui/skeleton";

export default function PaymentsLoading() {
  return (
    <>
      <Skeleton className="h-7 w-36" />
      <Skeleton className="mt-2 mb-6 h-15 w-full max-w-[560px]" />
      <div className="grid gap-10">
        {["h-44", "h-10", "h-40"].map((height) => (
          <div key={height} className="grid gap-4 border-t border-line pt-4">
            <Skeleton className="h-5 w-24" />
            <Skeleton className={`${height} w-full`} />
          </div>
        ))}
      </div>
    </>
  );
}
