"use client";

import { BookOpenIcon, CheckIcon, ChevronDownIcon, CopyIcon, LogOutIcon, SettingsIcon, SignatureIcon } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { toast } from "sonner";
import { shortAddress } from "@/components/ui/text/short-address";
import type { NamedWallet } from "@/lib/console/views/wallet";
import { writeClipboard } from "../ui/copy-button";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../ui/menu";
import { clearPlayground } from "./playground/kept/browser-store";

interface AccountMenuProps {
  wallet: NamedWallet;
  onSignOut: () => Promise<void>;
}

/** The signed-in account and its actions, available on every page. */
export function AccountMenu({ wallet, onSignOut }: AccountMenuProps) {
  const [leaving, setLeaving] = useState(false);
  const copy = async () => {
    if (await writeClipboard(wallet.address)) toast("Copied", { icon: <CheckIcon className="mt-0.5 size-4 text-green" /> });
    else toast.error("Could not copy. Copy the address from your wallet instead.");
  };
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={`Account ${shortAddress(wallet.address)}`}
          title={wallet.address}
          className="flex h-8 items-center gap-2 rounded border border-line pr-2 pl-3 text-sm transition hover:border-edge"
        >
          <span className="font-mono">{shortAddress(wallet.address)}</span>
          <ChevronDownIcon aria-hidden="true" className="size-3.5 text-muted" />
        </button>
      }
    >
      <MenuLabel>Signed in with {wallet.chain === "evm" ? "an Ethereum wallet" : "a Solana wallet"}</MenuLabel>
      <MenuItem onSelect={() => void copy()}>
        <CopyIcon /> Copy address
      </MenuItem>
      <MenuItem asChild>
        <Link href="/payments">
          <SignatureIcon /> Pay per request
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link href="/settings">
          <SettingsIcon /> Settings
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link href="/docs">
          <BookOpenIcon /> Docs
        </Link>
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        disabled={leaving}
        onSelect={() => {
          setLeaving(true);
          clearPlayground();
          void onSignOut();
        }}
      >
        <LogOutIcon /> Sign out
      </MenuItem>
    </Menu>
  );
}
