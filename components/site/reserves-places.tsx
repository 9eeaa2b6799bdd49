import { Amount, placesOf } from "@/components/ui/text/amount";
import { countText } from "@/components/ui/text/number-text";
import { chainName } from "@/lib/base/chains";
import type { ReservePlace } from "@/lib/console/views/reserves";
import { CopyButton } from "../ui/copy-button";
import { Chapter } from "./chapter";

const heightNames = { base: "final block", solana: "final slot" };

/** Where the held USDC is, and the block at which it was read. */
export function ReservesPlaces({ places }: { places: readonly ReservePlace[] }) {
  const decimals = placesOf(places.flatMap(({ treasury, deposits }) => [treasury.amount, deposits.amount]));
  return (
    <Chapter title="Where it is held">
      {places.map((place) => (
        <Place key={place.chain} place={place} decimals={decimals} />
      ))}
    </Chapter>
  );
}

function Place({ place: { chain, height, blockUrl, treasury, deposits }, decimals }: { place: ReservePlace; decimals: number }) {
  const name = chainName(chain);
  return (
    <div className="border-b border-line py-4 text-sm">
      <p className="flex flex-wrap justify-between gap-x-6">
        <span className="font-medium">{name}</span>
        <span className="text-muted">
          {heightNames[chain]} <OutLink href={blockUrl}>{countText(height)}</OutLink>
        </span>
      </p>
      <div className="mt-2 flex items-start justify-between gap-x-6">
        <div className="min-w-0">
          Treasury
          <span className="flex min-w-0 items-center gap-1 text-muted">
            <span className="min-w-0 break-all font-mono text-xs">
              <OutLink href={treasury.url}>{treasury.address}</OutLink>
            </span>
            <CopyButton quiet text={treasury.address} label={`Copy the treasury's address on ${name}`} />
          </span>
        </div>
        <span className="shrink-0 font-mono tabular-nums">
          <Amount nano={treasury.amount} places={decimals} />
        </span>
      </div>
      <div className="mt-2 flex items-baseline justify-between gap-x-6">
        <span>
          {countText(deposits.addresses)} deposit {deposits.addresses === 1 ? "address" : "addresses"}
        </span>
        <span className="shrink-0 font-mono tabular-nums">
          <Amount nano={deposits.amount} places={decimals} />
        </span>
      </div>
    </div>
  );
}

/** A link to the chain's public explorer, where it has one. */
function OutLink({ href, children }: { href: string | null; children: string }) {
  if (href === null) return children;
  return (
    <a href={href} target="_blank" rel="noreferrer" className="underline underline-offset-2 transition hover:text-ink">
      {children}
    </a>
  );
}
