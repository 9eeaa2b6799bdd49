import { formatUsd } from "@/lib/base/money";

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

/** The maximum number of decimal places that any of these amounts needs. */
export const placesOf = (amounts: readonly bigint[]): number =>
  amounts.reduce((most, amount) => Math.max(most, decimalPlaces(formatUsd(amount))), 2);

const decimalPlaces = (text: string): number => text.length - text.indexOf(".") - 1;
