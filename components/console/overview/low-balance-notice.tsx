import Link from "next/link";
import { formatUsd } from "@/lib/base/money";

interface LowBalanceNoticeProps {
  /** Nano-USD. */
  available: bigint;
  line: bigint;
}

/** The owner asked to be told below `line`. */
export const LowBalanceNotice = ({ available, line }: LowBalanceNoticeProps) => (
  <div
    role="status"
    className="mb-8 flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded border border-amber-edge bg-amber-wash px-5 py-3 text-sm text-amber-ink"
  >
    <p>
      <span className="font-medium">Low balance.</span> {formatUsd(available)} is available, below your line of {formatUsd(line)}. At zero,
      calls get 402.
    </p>
    <p className="flex gap-4">
      <Link href="/deposit" className="font-medium underline underline-offset-4">
        Add funds
      </Link>
      <Link href="/settings" className="underline underline-offset-4">
        Change the line
      </Link>
    </p>
  </div>
);
