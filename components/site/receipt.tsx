import { Amount, placesOf } from "@/components/ui/text/amount";

interface ReceiptProps {
  lines: readonly { text: string; cost: bigint }[];
  /** Nano-USD; the exact sum of the lines. */
  total: bigint;
}

/** How a cost was computed, as a bank would print it. */
export function Receipt({ lines, total }: ReceiptProps) {
  const places = placesOf([total, ...lines.map(({ cost }) => cost)]);
  return (
    <figure className="flex h-full flex-col">
      <figcaption className="border-b border-line px-4 py-2.5 text-xs font-medium text-muted">Cost</figcaption>
      <dl className="px-4 py-3 text-sm">
        {lines.map(({ text, cost }) => (
          <div key={text} className="flex justify-between gap-4 py-1">
            <dt className="text-muted">{text}</dt>
            <dd className="font-mono">
              <Amount nano={cost} places={places} />
            </dd>
          </div>
        ))}
        <div className="mt-1.5 flex justify-between gap-4 border-t border-edge pt-2.5 pb-1 font-medium text-copper-ink">
          <dt>Total charged</dt>
          <dd className="font-mono">
            <Amount nano={total} places={places} />
          </dd>
        </div>
      </dl>
    </figure>
  );
}
