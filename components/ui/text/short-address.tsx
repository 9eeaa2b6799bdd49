import { CopyButton } from "../copy-button";

interface ShortAddressProps {
  /** The whole address, id or hash. */
  value: string;
  /** The kind of the value, for the copy button: "address", "request id". */
  what: string;
}

/** The ends of a long value; copying gets the whole. */
export function ShortAddress({ value, what }: ShortAddressProps) {
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap">
      <span className="font-mono text-sm" title={value}>
        {shortAddress(value)}
      </span>
      <CopyButton quiet text={value} label={`Copy the ${what}`} />
    </span>
  );
}

/** `0x8335…2913` */
export const shortAddress = (value: string): string => (value.length <= 13 ? value : `${value.slice(0, 6)}…${value.slice(-4)}`);
