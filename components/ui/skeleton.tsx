import { classNames } from "./class-names";

/** Where something will stand that is still on its way: give it that thing's size. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span aria-hidden="true" className={classNames("block animate-pulse rounded-sm bg-line motion-reduce:animate-none", className)} />
);
