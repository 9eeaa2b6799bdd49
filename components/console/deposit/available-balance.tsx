"use client";

import { useEffect, useRef } from "react";
import { Amount } from "@/components/ui/text/amount";
import { useDepositFeed } from "./deposit-feed";

const FLASH_MS = 900;

/** The available balance; it flashes once when it changes. */
export function AvailableBalance() {
  const { available } = useDepositFeed().view;
  const figure = useRef<HTMLSpanElement>(null);
  const shown = useRef(available);
  useEffect(() => {
    if (shown.current === available) return;
    shown.current = available;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    figure.current?.animate([{ backgroundColor: "var(--copper-wash)" }, { backgroundColor: "transparent" }], FLASH_MS);
  }, [available]);
  return (
    <p className="text-sm text-muted">
      Available{" "}
      <span ref={figure} className="ml-1 rounded-sm px-0.5 font-mono text-base text-ink">
        <Amount nano={available} />
      </span>
    </p>
  );
}
