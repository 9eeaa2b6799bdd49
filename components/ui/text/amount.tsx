import { formatCents, formatUsd } from "@/lib/base/money";

interface AmountProps {
  /** Nano-USD. */
  nano: bigint;
  /** Decimal places that every amount of a column shows, so that their decimal points align. */
  places?: number;
}

/** An exact amount in USD. The zeros that only fill the column are fainter than the significant digits. */
export function Amount({ nano, places = 2 }: AmountProps) {
  const text = formatUsd(nano);
  const fill = "0".repeat(Math.max(0, places - decimalPlaces(text)));
  return (
    <span className="whitespace-nowrap">
      {text}
      {fill === "" ? null : <span className="text-faint">{fill}</span>}
    </span>
  );
}

/** A headline in whole cents. The exact amount shows on hover and focus, which a tap gives too; screen readers read the exact one. */
export function HeadlineAmount({ nano }: { nano: bigint }) {
  const [exact, cents] = [formatUsd(nano), formatCents(nano)];
  if (exact === cents) return <span className="whitespace-nowrap">{exact}</span>;
  return (
    <button type="button" className="group relative justify-self-start whitespace-nowrap">
      <span className="sr-only">{exact}</span>
      <span aria-hidden="true">{cents}</span>
      <span
        aria-hidden="true"
        className="absolute top-full left-0 z-20 mt-1 hidden rounded border border-edge bg-paper px-3 py-1.5 font-mono text-xs font-normal tracking-normal text-ink shadow-lg group-hover:block group-focus:block"
      >
        {exact}
      </span>
    </button>
  );
}

/** The maximum number of decimal places that any of these amounts needs. */
export const placesOf = (amounts: readonly bigint[]): number =>
  amounts.reduce((most, amount) => Math.max(most, decimalPlaces(formatUsd(amount))), 2);

const decimalPlaces = (text: string): number => text.length - text.indexOf(".") - 1;
