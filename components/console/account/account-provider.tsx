"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import type { AccountView } from "@/lib/console/views/account";
import { followAccount } from "./follow-account";
import { useFreshPage } from "./use-fresh-page";

interface Account extends AccountView {
  /** False while it may be out of date. */
  isLive: boolean;
}

/** A tab that signs out itself hears of it before it has left the page. */
const SIGN_OUT_MS = 2_000;

const AccountContext = createContext<Account | null>(null);

/** The signed-in account, as it is now. @throws Error outside an AccountProvider */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (!account) throw new Error("what shows the account stands inside an AccountProvider");
  return account;
}

interface AccountProviderProps {
  /** The view that the server rendered. */
  initial: AccountView;
  /** The session that the page was rendered for. */
  sessionId: string;
  children: ReactNode;
}

/** Keeps the account up to date, and with it the page that shows it. */
export function AccountProvider({ initial, sessionId, children }: AccountProviderProps) {
  const [view, setView] = useState(initial);
  const [isLive, setLive] = useState(true);
  // Views arrive on the stream and with each rendered page: the later one counts.
  const take = useCallback((next: AccountView) => setView((known) => (next.readAtMs < known.readAtMs ? known : next)), []);
  useEffect(() => take(initial), [take, initial]);
  useEffect(() => {
    let reload: ReturnType<typeof setTimeout> | undefined;
    const leave = followAccount(sessionId, {
      onState: (state) => {
        setLive(state.isLive);
        if (state.text !== null) take(readAccount(state.text));
      },
      onOver: () => {
        reload = setTimeout(() => window.location.reload(), SIGN_OUT_MS);
      },
    });
    return () => {
      clearTimeout(reload);
      leave();
    };
  }, [sessionId, take]);
  useFreshPage(view);
  return <AccountContext.Provider value={{ ...view, isLive }}>{children}</AccountContext.Provider>;
}

/** Parses the service's own text: amounts are whole nano-USD, as text. */
function readAccount(text: string): AccountView {
  const { available, reserved, ...view } = JSON.parse(text) as Omit<AccountView, "available" | "reserved"> &
    Record<"available" | "reserved", string>;
  return { ...view, available: BigInt(available), reserved: BigInt(reserved) };
}
