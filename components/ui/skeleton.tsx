import { classNames } from "./class-names";

/** Where something will stand that is still on its way: give it that thing's size. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={classNames("block animate-pulse rounded-sm bg-line motion-reduce:animate-none", className)} />
);

/** As many lines of a list. */
export const SkeletonLines = ({ count }: { count: number }) => (
  <div className="grid gap-4">
    {Array.from({ length: count }, (_, line) => line).map((line) => (
      <Skeleton key={line} className="h-6 w-full" />
    ))}
  </div>
);
