import type { ReactNode } from "react";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { LocalTime } from "@/components/ui/text/local-time";
import { countText } from "@/components/ui/text/number-text";
import { chainName } from "@/lib/base/chains";
import { formatUsd } from "@/lib/base/money";
import { kindLabels } from "@/lib/base/tokens/token-kinds";
import { whenLeftText } from "@/lib/base/when-left";
import type { ChargedRequestReceipt, HeldRequestReceipt, RequestReceipt } from "@/lib/console/views/receipts";
import { Badge } from "../../ui/badge";
import { CopyButton } from "../../ui/copy-button";

/** Everything that the ledger records about one request. */
export const ReceiptDetails = ({ receipt }: { receipt: RequestReceipt }) =>
  receipt.state === "charged" ? <Charged receipt={receipt} /> : <Held receipt={receipt} />;

const outcomes: Readonly<Record<string, { text: string; tone: "good" | "waiting" | "plain" }>> = {
  complete: { text: "Complete", tone: "good" },
  partial: { text: "Provider stopped early", tone: "waiting" },
  cancelled: { text: "Cancelled", tone: "plain" },
  lost: { text: "Not delivered", tone: "waiting" },
};

const payments: Readonly<Record<string, string>> = { balance: "Balance", payment: "Signed payment", x402: "x402" };

function Charged({ receipt }: { receipt: ChargedRequestReceipt }) {
  const outcome = outcomes[receipt.outcome] ?? { text: receipt.outcome, tone: "plain" as const };
  return (
    <div className="grid gap-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-xl font-medium tracking-tight tabular-nums">{formatUsd(receipt.cost)}</p>
        <Badge tone={outcome.tone}>{outcome.text}</Badge>
      </div>
      {receipt.whenLeft === null ? null : <p className="text-sm text-muted">{whenLeftText[receipt.whenLeft]}</p>}
      <CostTable receipt={receipt} />
      <dl className="text-sm">
        <Line title="Model">
          <span className="font-mono">{receipt.model}</span>
        </Line>
        <Line title="Provider">{receipt.provider}</Line>
        <Line title="Key">{keyText(receipt)}</Line>
        <Line title="Started">
          <LocalTime at={receipt.startedAt} shape="exact" />
        </Line>
        <Line title="Charged">
          <LocalTime at={receipt.at} shape="exact" />
        </Line>
        <Line title="Streamed">{receipt.streamed ? "Yes" : "No"}</Line>
        {receipt.firstTokenMs === null ? null : <Line title="Time to first token">{seconds(receipt.firstTokenMs)}</Line>}
        <Line title="Provider time">{seconds(receipt.providerMs)}</Line>
        <Line title="Tokens counted by">{receipt.estimated ? "Us (the provider sent no count)" : "Provider"}</Line>
        <Line title="Paid by">{payments[receipt.paidBy] ?? receipt.paidBy}</Line>
        {receipt.payment ? <PaidWith payment={receipt.payment} /> : null}
        <LongLine title="Price version" value={receipt.priceVersion} copy="Copy price version" />
        <LongLine title="Request ID" value={receipt.requestId} copy="Copy request ID" />
      </dl>
    </div>
  );
}

const PaidWith = ({
  payment: { network, chain, payer, amount, transaction },
}: {
  payment: NonNullable<ChargedRequestReceipt["payment"]>;
}) => (
  <>
    <Line title="Payment">{formatUsd(amount)}</Line>
    <Line title="Network">
      <span title={network}>{chainName(chain)}</span>
    </Line>
    <LongLine title="From" value={payer} copy="Copy wallet address" />
    {transaction === null ? null : <LongLine title="Transaction" value={transaction} copy="Copy transaction" />}
  </>
);

/** Tokens × price = cost, line by line, exact. */
function CostTable({ receipt: { lines, due, cost, borne } }: { receipt: ChargedRequestReceipt }) {
  const places = placesOf([...lines.map((line) => line.due), due, cost]);
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Cost breakdown</caption>
      <thead>
        <tr className="border-b border-edge text-xs text-muted">
          <th scope="col" className="py-1.5 text-left font-medium">
            Tokens × price
          </th>
          <th scope="col" className="py-1.5 text-right font-medium">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.kind} className="border-b border-line">
            <th scope="row" className="py-2 pr-3 text-left font-normal">
              {countText(line.tokens)} {kindLabels[line.kind]} × <span className="font-mono">{formatUsd(line.price)}</span>
            </th>
            <td className="py-2 text-right font-mono">
              <Amount nano={line.due} places={places} />
            </td>
          </tr>
        ))}
        {borne === 0n ? null : (
          <tr className="border-b border-line text-muted">
            <th scope="row" className="py-2 pr-3 text-left font-normal">
              Above the reserved amount, paid by us
            </th>
            <td className="py-2 text-right font-mono">
              <Amount nano={-borne} places={places} />
            </td>
          </tr>
        )}
        <tr>
          <th scope="row" className="py-2 pr-3 text-left font-medium">
            You paid
          </th>
          <td className="py-2 text-right font-mono font-medium">
            <Amount nano={cost} places={places} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}

const Held = ({ receipt }: { receipt: HeldRequestReceipt }) => (
  <div className="grid gap-6">
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-xl font-medium tracking-tight tabular-nums">{formatUsd(receipt.ceiling)}</p>
      <Badge tone="waiting">In progress</Badge>
    </div>
    <p className="text-sm text-muted">
      Reserved for this request: the most it can cost. If you stopped it, it may still be finishing at the provider. When it ends, its exact
      cost is charged and the rest becomes available again.
    </p>
    <dl className="text-sm">
      <Line title="Key">{keyText(receipt)}</Line>
      <Line title="Started">
        <LocalTime at={receipt.startedAt} shape="exact" />
      </Line>
      <Line title="Ends by">
        <LocalTime at={receipt.deadline} shape="exact" />
      </Line>
      <LongLine title="Request ID" value={receipt.requestId} copy="Copy request ID" />
    </dl>
  </div>
);

const keyText = ({ key, isKeyRevoked }: RequestReceipt): string => (isKeyRevoked ? `${key} (revoked)` : key);

const seconds = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(2)} s`);

const Line = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="flex justify-between gap-6 border-b border-line py-2">
    <dt className="text-muted">{title}</dt>
    <dd className="min-w-0 text-right break-words">{children}</dd>
  </div>
);

const LongLine = ({ title, value, copy }: { title: string; value: string; copy: string }) => (
  <div className="border-b border-line py-2">
    <dt className="text-muted">{title}</dt>
    <dd className="flex items-center justify-between gap-2">
      <span className="min-w-0 font-mono break-all">{value}</span>
      <CopyButton quiet text={value} label={copy} />
    </dd>
  </div>
);
