"use client";

import { useSearchParams } from "next/navigation";
import { useCallback, useEffect, useRef } from "react";
import type { UsageRow } from "@/lib/console/views/usage";
import { ChargesTable } from "./charges-table";
import { type FoundReceipt, type LoadReceipt, ReceiptDrawer } from "./receipt-drawer";

interface ChargesWithReceiptsProps {
  rows: readonly UsageRow[];
  initial: FoundReceipt | null;
  load: LoadReceipt;
}

/** The table, and the receipt named in the URL. Opening one adds a step to the browser's history, without requesting the page again. */
export function ChargesWithReceipts({ rows, initial, load }: ChargesWithReceiptsProps) {
  const requestId = useSearchParams().get("receipt");
  /** The row that opened the receipt; it gets the focus back. */
  const opener = useRef<HTMLElement | null>(null);
  const open = useCallback((id: string, from: HTMLElement) => {
    opener.current = from;
    window.history.pushState(null, "", addressWith(id));
  }, []);
  const close = () => {
    if (opener.current) window.history.back();
    else window.history.replaceState(null, "", addressWith(null));
  };
  useEffect(() => {
    if (requestId !== null) return;
    opener.current?.focus();
    opener.current = null;
  }, [requestId]);
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
