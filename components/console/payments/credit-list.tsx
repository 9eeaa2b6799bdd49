"use client";

import { toast } from "sonner";
import { Amount, placesOf } from "@/components/ui/text/amount";
import { ShortAddress } from "@/components/ui/text/short-address";
import { formatUsd } from "@/lib/base/money";
import type { Answer } from "@/lib/console/views/answer";
import type { OwnCredit } from "@/lib/console/views/payments";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { Button } from "../../ui/button";
import { useAction } from "../use-action";

interface CreditListProps {
  credits: readonly OwnCredit[];
  isFrozen: boolean;
  claim: (wallet: NamedWallet) => Promise<Answer<{ amount: bigint }>>;
}

/** The amounts that the account's wallets have overpaid, and a button that moves it to the balance. */
export function CreditList({ credits, isFrozen, claim }: CreditListProps) {
  if (credits.length === 0) {
    return (
      <p className="max-w-reading text-sm text-muted">
        No credits. When a wallet pays with x402, without an API key, or before it is linked to this account, whatever the request doesn’t
        cost is kept as that wallet’s credit. You can move it to your balance here.
      </p>
    );
  }
  const places = placesOf(credits.map(({ amount }) => amount));
  return (
    <ul className="border-t border-line text-sm">
      {credits.map((credit) => (
        <CreditLine key={`${credit.chain}:${credit.address}`} credit={credit} places={places} isFrozen={isFrozen} claim={claim} />
      ))}
    </ul>
  );
}

interface CreditLineProps extends Omit<CreditListProps, "credits"> {
  credit: OwnCredit;
  places: number;
}

function CreditLine({ credit: { chain, address, amount }, places, isFrozen, claim }: CreditLineProps) {
  const { busy, run } = useAction();
  const press = async () => {
    const answer = await run(() => claim({ chain, address }));
    if (answer.ok) toast.success(`${formatUsd(answer.amount)} moved to your balance.`);
    else toast.error(answer.message);
  };
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-5 border-b border-line py-3 md:grid-cols-[7rem_minmax(0,1fr)_auto]">
      <span className="font-mono md:text-right">
        <Amount nano={amount} places={places} />
      </span>
      <ShortAddress value={address} what="wallet's address" />
      <Button size="small" busy={busy} disabled={isFrozen} onClick={() => void press()}>
        Move to balance
      </Button>
    </li>
  );
}
