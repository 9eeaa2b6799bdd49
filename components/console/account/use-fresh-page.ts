"use client";

// Renders the open page again when a part of the account that it shows has changed.

import { usePathname, useRouter } from "next/navigation";
import { useEffect, useRef, useTransition } from "react";
import type { AccountMarks, AccountView } from "@/lib/console/views/account";

type Part = keyof AccountMarks | "balance";

const shownBy: Readonly<Record<string, readonly Part[]>> = {
  "/overview": ["balance", "charges", "keys"],
  "/keys": ["charges", "keys"],
  "/usage": ["charges", "keys"],
  "/deposit": ["deposits"],
  "/withdraw": ["balance", "deposits", "withdrawals"],
  "/payments": ["balance", "charges"],
  "/alerts": ["events"],
  "/activity": ["events", "keys", "withdrawals"],
};

const REFRESH_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 250;
/** A page that takes long is rendered again after a longer rest: it may add up a million charges. */
const REST_FACTOR = 4;

/** At most once a second, while the page is visible and no dialog is open. */
export function useFreshPage(view: AccountView): void {
  const path = usePathname();
  const { refresh } = useRouter();
  const [isRefreshing, start] = useTransition();
  // A refresh discards every page that the browser has cached, so it counts for all of them.
  const shown = useRef(view);
  const begunAt = useRef<number | null>(null);
  const restUntil = useRef(0);

  useEffect(() => {
    if (isRefreshing || begunAt.current === null) return;
    const now = performance.now();
    restUntil.current = Math.max(begunAt.current + REFRESH_EVERY_MS, now + REST_FACTOR * (now - begunAt.current));
  }, [isRefreshing]);

  useEffect(() => {
    const parts = shownBy[path] ?? [];
    if (isRefreshing || parts.every((part) => textOf(view, part) === textOf(shown.current, part))) return;
    const timer = setInterval(() => {
      if (performance.now() < restUntil.current || !isUndisturbed()) return;
      clearInterval(timer);
      shown.current = view;
      begunAt.current = performance.now();
      start(refresh);
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [view, path, isRefreshing, refresh]);
}

const textOf = ({ available, reserved, marks }: AccountView, part: Part): string =>
  part === "balance" ? `${available} ${reserved}` : marks[part];

/** A dialog may stand in a part that the new page does not have, and would lose the text typed into it. */
const isUndisturbed = (): boolean => document.visibilityState === "visible" && document.querySelector("[role=dialog]") === null;
