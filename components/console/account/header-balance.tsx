"use client";

import Link from "next/link";
import { useEffect, useRef, useState } from "react";
import { formatCents, formatUsd } from "@/lib/base/money";
import { useAccount } from "./account-provider";

const FLASH_MS = 900;

/** The available balance in whole cents; the exact figures while it is hovered or focused. It flashes once when it changes. */
export function HeaderBalance() {
  const { available, reserved, isLive } = useAccount();
  const [isExact, setExact] = useState(false);
  const figure = useRef<HTMLSpanElement>(null);
  const shown = useRef(available);
  useEffect(() => {
    if (shown.current === available) return;
    shown.current = available;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    figure.current?.animate([{ backgroundColor: "var(--copper-wash)" }, { backgroundColor: "transparent" }], FLASH_MS);
  }, [available]);
  return (
    <Link
      href="/deposit"
      onMouseEnter={() => setExact(true)}
      onMouseLeave={() => setExact(false)}
      onFocus={() => setExact(true)}
      onBlur={() => setExact(false)}
      className="relative flex h-8 items-center rounded px-1.5 text-sm transition hover:bg-panel"
    >
      <span className="sr-only">Available {formatUsd(available)}</span>
      <span ref={figure} aria-hidden="true" className={`rounded-sm font-mono ${isLive ? "" : "text-muted"}`}>
        {formatCents(available)}
      </span>
      {isExact ? (
        <span
          aria-hidden="true"
          className="absolute top-full right-0 z-20 mt-1 rounded border border-edge bg-paper px-3 py-2 text-right text-xs whitespace-nowrap text-muted shadow-lg"
        >
          <Line name="available" amount={available} />
          <Line name="reserved" amount={reserved} />
          {isLive ? null : "Not up to date. Reconnecting…"}
        </span>
      ) : null}
    </Link>
  );
}

const Line = ({ name, amount }: { name: string; amount: bigint }) => (
  <span className="block">
    <span className="font-mono text-ink">{formatUsd(amount)}</span> {name}
  </span>
);
