"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useRef } from "react";
import { ChargesTable } from "./charges-table";
import { type FoundReceipt, ReceiptDrawer } from "./receipt-drawer";
import type { Receipt } from "./receipt-types";
import type { UsageRow } from "./usage-row";

interface ChargesWithReceiptsProps {
  rows: readonly UsageRow[];
  initial: FoundReceipt | null;
  load: (requestId: string) => Promise<Receipt | null>;
}

/** The table, and the receipt that the address names. Opening one is a step in the browser's history, without asking for the page again. */
export function ChargesWithReceipts({ rows, initial, load }: ChargesWithReceiptsProps) {
  const requestId = useSearchParams().get("receipt");
  const openedHere = useRef(false);
  const open = useCallback((id: string) => {
    openedHere.current = true;
    window.history.pushState(null, "", addressWith(id));
  }, []);
  const close = () => {
    if (openedHere.current) window.history.back();
    else window.history.replaceState(null, "", addressWith(null));
    openedHere.current = false;
  };
  return (
    <>
      {rows.length > 0 ? <ChargesTable rows={rows} onOpen={open} /> : null}
      <ReceiptDrawer requestId={requestId} initial={initial} load={load} onClose={close} />
    </>
  );
}

function addressWith(receipt: string | null): string {
  const query = new URLSearchParams(window.location.search);
  if (receipt === null) query.delete("receipt");
  else query.set("receipt", receipt);
  return query.size === 0 ? window.location.pathname : `?${query}`;
}
