// The placeholder of a wallet step until the wallet libraries are loaded: as high as the step, so that nothing shifts.

import type { ReactNode } from "react";
import { Skeleton } from "../ui/skeleton";

const Looking = ({ className, children }: { className: string; children: ReactNode }) => (
  <div role="status" aria-label="Looking for wallets in this browser" className={`grid ${className}`}>
    {children}
  </div>
);

export const WalletChoicesLoading = () => (
  <Looking className="gap-3">
    <Skeleton className="h-[74px] rounded" />
    <Skeleton className="h-[74px] rounded" />
  </Looking>
);

export const WalletFormLoading = () => (
  <Looking className="gap-4">
    <Skeleton className="h-10 rounded" />
    <Skeleton className="h-10 w-36 rounded" />
  </Looking>
);

export const WalletButtonLoading = () => (
  <Looking className="">
    <Skeleton className="h-10 w-48 rounded" />
  </Looking>
);
