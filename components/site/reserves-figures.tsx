import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { chainName } from "@/lib/base/chains";
import type { ReserveFigures } from "@/lib/console/views/reserves";

/** Held against owed: in figures, and as two bars on the same scale. */
export function ReservesFiguresTable({ figures }: { figures: ReserveFigures }) {
  const { held, owed, coverage } = figures;
  const places = placesOf([held, owed]);
  const difference = held - owed;
  return (
    <section aria-label="Held and owed" className="mt-10">
      <dl className="grid gap-x-10 gap-y-6 sm:grid-cols-3">
        <Figure name="Held" note="USDC on both chains">
          <Amount nano={held} places={places} />
        </Figure>
        <Figure name="Owed" note="to customers, including transfers in progress">
          <Amount nano={owed} places={places} />
        </Figure>
        <Figure name="Coverage" note={difference < 0n ? "missing" : "surplus"} noteAmount={difference < 0n ? -difference : difference}>
          {coverage === null ? "Nothing owed" : percentText(coverage)}
        </Figure>
      </dl>
      <Bars figures={figures} />
    </section>
  );
}

interface FigureProps {
  name: string;
  note: string;
  /** Nano-USD, before the note. */
  noteAmount?: bigint;
  children: ReactNode;
}

const Figure = ({ name, note, noteAmount, children }: FigureProps) => (
  <div className="border-t border-edge pt-3">
    <dt className="text-sm text-muted">{name}</dt>
    <dd className="mt-1 font-mono text-lg tabular-nums">{children}</dd>
    <dd className="mt-1 text-xs text-muted">
      {noteAmount === undefined ? null : (
        <>
          <Amount nano={noteAmount} />{" "}
        </>
      )}
      {note}
    </dd>
  </div>
);

/** `1.0004` as `100.04 %`, digit by digit. */
const percentText = (ratio: string): string =>
  `${ratio
    .replace(".", "")
    .replace(/^0+(?=\d{3})/, "")
    .replace(/(\d\d)$/, ".$1")} %`;

interface Part {
  name: string;
  nano: bigint;
  colour: string;
}

const treasuryColours = { base: "var(--copper)", solana: "color-mix(in oklab, var(--copper) 55%, var(--ink))" };
const depositColours = {
  base: "color-mix(in oklab, var(--copper) 55%, var(--paper))",
  solana: "color-mix(in oklab, var(--copper) 30%, var(--paper))",
};
function Bars({ figures: { held, owed, customers, credits, places } }: { figures: ReserveFigures }) {
  const heldParts = [
    ...places.map(({ chain, treasury }) => ({
      name: `${chainName(chain)}, treasury`,
      nano: treasury.amount,
      colour: treasuryColours[chain],
    })),
    ...places.map(({ chain, deposits }) => ({
      name: `${chainName(chain)}, deposit addresses`,
      nano: deposits.amount,
      colour: depositColours[chain],
    })),
  ];
  const owedParts = [
    { name: "Customers' balances", nano: customers - credits, colour: "var(--ink)" },
    { name: "Unspent payments of wallets without an account", nano: credits, colour: "var(--muted)" },
    { name: "Deposits and withdrawals in progress", nano: owed - customers, colour: "var(--faint)" },
  ];
  const scale = held > owed ? held : owed;
  if (scale <= 0n) return null;
  return (
    <div className="mt-8 grid gap-6">
      <Bar name="Held" parts={heldParts} scale={scale} />
      <Bar name="Owed" parts={owedParts} scale={scale} />
    </div>
  );
}

function Bar({ name, parts, scale }: { name: string; parts: readonly Part[]; scale: bigint }) {
  const shown = parts.filter(({ nano }) => nano > 0n);
  const places = placesOf(shown.map(({ nano }) => nano));
  return (
    <div>
      <p className="mb-1.5 text-xs text-muted">{name}</p>
      <div aria-hidden="true" className="flex h-5 overflow-hidden rounded-sm bg-panel">
        {shown.map(({ name: part, nano, colour }) => (
          <span key={part} className="h-full" style={{ width: `${percentOf(nano, scale)}%`, background: colour }} />
        ))}
      </div>
      <ul className="mt-2 grid gap-x-8 text-sm sm:grid-cols-2">
        {shown.map(({ name: part, nano, colour }) => (
          <li key={part} className="flex items-center gap-2 border-b border-line py-1.5">
            <span aria-hidden="true" className="size-2.5 shrink-0 rounded-sm" style={{ background: colour }} />
            <span className="grow">{part}</span>
            <span className="font-mono tabular-nums">
              <Amount nano={nano} places={places} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Rounded for the drawing only. */
const percentOf = (nano: bigint, scale: bigint): number => Number((nano * 100_000n) / scale) / 1_000;
