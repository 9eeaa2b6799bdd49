"use client";

import { unstable_rethrow } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import type { Answer } from "@/lib/console/views/answer";
import type { RequestReceipt } from "@/lib/console/views/receipts";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Skeleton } from "../../ui/skeleton";
import { ReceiptDetails } from "./receipt-details";

export interface FoundReceipt {
  requestId: string;
  /** Null: the account has no such request. */
  receipt: RequestReceipt | null;
}

export type LoadReceipt = (requestId: string) => Promise<Answer<{ receipt: RequestReceipt | null }>>;

interface Failure {
  requestId: string;
  message: string;
}

interface ReceiptDrawerProps {
  /** The request named in the URL; null closes the drawer. */
  requestId: string | null;
  /** The receipt that the server has already found. */
  initial: FoundReceipt | null;
  load: LoadReceipt;
  onClose: () => void;
}

/** The receipt of a request, at the side of the page that opened it. */
export function ReceiptDrawer({ requestId, initial, load, onClose }: ReceiptDrawerProps) {
  const [found, setFound] = useState(initial);
  const [failure, setFailure] = useState<Failure | null>(null);
  const isFound = found?.requestId === requestId;
  const isFailed = failure?.requestId === requestId;

  const fetchReceipt = useCallback(
    async (id: string) => {
      setFailure(null);
      try {
        const answer = await load(id);
        if (answer.ok) setFound({ requestId: id, receipt: answer.receipt });
        else setFailure({ requestId: id, message: answer.message });
      } catch (error) {
        unstable_rethrow(error); // an ended session redirects to sign-in
        setFailure({ requestId: id, message: "Could not load the receipt. Try again." });
      }
    },
    [load],
  );

  useEffect(() => {
    if (requestId !== null && !isFound && !isFailed) void fetchReceipt(requestId);
  }, [requestId, isFound, isFailed, fetchReceipt]);

  const title = isFound && found?.receipt === null ? "No receipt" : "Receipt";
  return (
    <Dialog isInAddress open={requestId !== null} onOpenChange={(open) => (open ? undefined : onClose())} title={title} place="side">
      {requestId === null ? null : isFailed ? (
        <Failed message={failure.message} onRetry={() => void fetchReceipt(requestId)} />
      ) : !isFound ? (
        <ReceiptSkeleton />
      ) : found?.receipt ? (
        <Shown receipt={found.receipt} onReload={() => fetchReceipt(requestId)} />
      ) : (
        <NoReceipt requestId={requestId} />
      )}
    </Dialog>
  );
}

function Shown({ receipt, onReload }: { receipt: RequestReceipt; onReload: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const reload = async () => {
    setBusy(true);
    await onReload();
    setBusy(false);
  };
  return (
    <>
      <ReceiptDetails receipt={receipt} />
      {receipt.state === "in_progress" ? (
        <Button className="mt-6" busy={busy} onClick={() => void reload()}>
          Refresh
        </Button>
      ) : null}
    </>
  );
}

const NoReceipt = ({ requestId }: { requestId: string }) => (
  <div className="grid gap-4 text-sm">
    <p>There is no charge with this request ID.</p>
    <p className="font-mono break-all text-muted">{requestId.slice(0, 100)}</p>
    <p className="text-muted">
      Check it against the X-Request-Id header of the response. Refused and failed requests are listed separately.
    </p>
  </div>
);

const Failed = ({ message, onRetry }: { message: string; onRetry: () => void }) => (
  <div role="alert" className="grid justify-items-start gap-4 text-sm">
    <p>{message}</p>
    <Button onClick={onRetry}>Try again</Button>
  </div>
);

const lines = [1, 2, 3, 4, 5, 6, 7, 8];

const ReceiptSkeleton = () => (
  <div role="status" aria-label="Loading the receipt" className="grid gap-4">
    <Skeleton className="h-10 w-44" />
    <Skeleton className="h-28 w-full" />
    {lines.map((line) => (
      <Skeleton key={line} className="h-5 w-full" />
    ))}
  </div>
);
