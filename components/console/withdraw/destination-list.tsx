import Link from "next/link";
import { useId } from "react";
import { LocalTime } from "@/components/ui/text/local-time";
import { shortAddress } from "@/components/ui/text/short-address";
import { TimeAgo } from "@/components/ui/text/time-ago";
import { type ChainId, chainName } from "@/lib/base/chains";
import type { Destination } from "@/lib/console/views/withdraw";

interface DestinationListProps {
  chain: ChainId;
  destinations: readonly Destination[];
  value: string;
  onChange: (address: string) => void;
  error: string | null;
  /** The server's clock, Unix milliseconds. */
  nowMs: number;
}

/** The owner's wallets on a chain, to choose one; a recently linked wallet says from when it can be paid. */
export function DestinationList({ chain, destinations, value, onChange, error, nowMs }: DestinationListProps) {
  const hintId = useId();
  const offered = destinations.filter((one) => one.chain === chain);
  return (
    <fieldset className="grid gap-1.5" aria-describedby={error ? hintId : undefined}>
      <legend className="mb-1.5 text-sm font-medium">To</legend>
      {offered.length === 0 ? (
        <p className="rounded border border-dashed border-edge px-4 py-5 text-sm text-muted">
          No linked wallet on {chainName(chain)}.{" "}
          <Link href="/settings" className="text-copper-ink underline underline-offset-4">
            Link one
          </Link>
          . Withdrawals to it unlock after 24 hours.
        </p>
      ) : (
        offered.map((one) => (
          <Choice key={one.address} wallet={one} isChosen={one.address === value} onChoose={() => onChange(one.address)} nowMs={nowMs} />
        ))
      )}
      {error ? (
        <p id={hintId} role="alert" className="text-xs text-red">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

interface ChoiceProps {
  wallet: Destination;
  isChosen: boolean;
  onChoose: () => void;
  nowMs: number;
}

function Choice({ wallet, isChosen, onChoose, nowMs }: ChoiceProps) {
  const { address, linkedAt, payableFrom, isAllowed } = wallet;
  const isClosed = payableFrom !== null || !isAllowed;
  return (
    <label
      className={`flex items-start gap-3 rounded border px-3 py-2.5 text-sm transition ${
        isClosed
          ? "border-line text-muted"
          : "cursor-pointer border-edge hover:bg-panel has-checked:border-copper has-checked:bg-copper-wash"
      }`}
    >
      <input type="radio" name="destination" className="mt-1 accent-copper" checked={isChosen} disabled={isClosed} onChange={onChoose} />
      <span className="min-w-0">
        <span className="block font-mono" title={address}>
          {shortAddress(address)}
        </span>
        <span className="block text-xs text-muted">
          linked <TimeAgo at={linkedAt} nowMs={nowMs} />
          {payableFrom ? (
            <>
              {" "}
              · withdrawals unlock on <LocalTime at={payableFrom} shape="short" />
            </>
          ) : null}
          {isAllowed ? null : " · not allowed by your rules"}
        </span>
      </span>
    </label>
  );
}
