import { classNames } from "./class-names";

/** A placeholder for content still loading: give it that content's size. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={classNames("block animate-pulse rounded-sm bg-line motion-reduce:animate-none", className)} />
);

/** The placeholder of a list with this many lines. */
export const SkeletonLines = ({ count }: { count: number }) => (
  <div className="grid gap-4">
    {Array.from({ length: count }, (_, line) => line).map((line) => (
      <Skeleton key={line} className="h-6 w-full" />
    ))}
  </div>
);
