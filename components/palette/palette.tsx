"use client";

import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { Dialog } from "radix-ui";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { SearchIcon } from "../ui/icons";
import { DIALOG_MARK, useBackCloses } from "../ui/use-back-closes";
import { findGroups, type PaletteGroup } from "./groups";
import { useAccountMatches, useSearchIndex } from "./use-matches";

interface PaletteProps {
  isSignedIn: boolean;
  onClose: () => void;
}

/** The command palette: a combobox over docs, pages and models, and over the keys and requests of a signed-in account. */
export function Palette({ isSignedIn, onClose }: PaletteProps) {
  const [query, setQuery] = useState("");
  const index = useSearchIndex();
  const account = useAccountMatches(query, isSignedIn);
  const router = useRouter();
  const opener = useRef(document.activeElement);
  const content = useRef<HTMLDivElement>(null);
  /** The address that was chosen: the palette leaves nothing in the history. */
  const chosen = useRef<string | null>(null);
  const onLeft = () => {
    if (chosen.current !== null) router.push(chosen.current);
  };
  useBackCloses(content, { isOpen: true, isHeld: false, close: onClose, onLeft });
  const groups = useMemo(
    () => findGroups(query, { index: index.state === "ready" ? index.index : null, account: account.matches }),
    [query, index, account.matches],
  );
  const isWaiting = index.state === "loading" || account.isLoading;
  const select = (href: string) => {
    chosen.current = href;
    onClose();
  };

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-paper/60" />
        <Dialog.Content
          ref={content}
          {...{ [DIALOG_MARK]: "" }}
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
          }}
          className="fixed top-[10dvh] left-1/2 z-50 flex max-h-[76dvh] w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded border border-edge bg-paper text-ink shadow-lg outline-none max-sm:top-3"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Command shouldFilter={false} loop label="Search" className="flex min-h-0 flex-col">
            <div className="flex items-center gap-3 border-b border-line px-4">
              <SearchIcon className="text-faint" />
              <Command.Input
                value={query}
                onValueChange={(text) => setQuery(text.slice(0, 100))}
                placeholder={isSignedIn ? "Search docs, models, keys, request IDs" : "Search docs, pages and models"}
                className="h-12 min-w-0 grow bg-transparent text-base outline-none placeholder:text-faint"
              />
              <Dialog.Close className="-mr-2 h-11 rounded px-2 text-xs text-muted transition hover:text-ink">
                <span className="sm:hidden">Close</span>
                <span className="font-mono max-sm:hidden">Esc</span>
              </Dialog.Close>
            </div>
            {index.state === "failed" ? (
              <p role="alert" className="px-3 py-3 text-sm text-red">
                Docs and models could not be loaded. Check your connection, then open the search again.
              </p>
            ) : null}
            <Command.List className="min-h-0 overflow-y-auto p-2" label="Results">
              {groups.map((group) => (
                <Group key={group.title} group={group} onSelect={select} />
              ))}
              {isWaiting ? <Note>Loading…</Note> : groups.length === 0 ? <Note>No results for “{query.trim()}”.</Note> : null}
            </Command.List>
            <Footer isSignedIn={isSignedIn} problem={account.problem} groups={groups} isWaiting={isWaiting} />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** An option that cannot be chosen, since a listbox holds nothing but options. */
const Note = ({ children }: { children: ReactNode }) => (
  <Command.Item disabled value="note" className="px-3 py-4 text-center text-sm break-words text-muted">
    {children}
  </Command.Item>
);

const Group = ({ group: { title, rows }, onSelect }: { group: PaletteGroup; onSelect: (href: string) => void }) => (
  <Command.Group
    heading={title}
    className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted"
  >
    {rows.map(({ href, id, title: text, place, excerpt, isCode }) => (
      <Command.Item
        key={id ?? href}
        value={`${title} ${id ?? href}`}
        onSelect={() => onSelect(href)}
        className="flex min-h-11 cursor-pointer flex-col justify-center rounded px-3 py-1.5 text-sm data-[selected=true]:bg-panel sm:min-h-9"
      >
        <span className="flex items-baseline justify-between gap-4">
          <span className={`min-w-0 break-words ${isCode ? "font-mono" : ""}`}>{text}</span>
          <span className="shrink-0 text-xs text-muted">{place}</span>
        </span>
        {excerpt ? <span className="text-xs break-words text-muted">{excerpt}</span> : null}
      </Command.Item>
    ))}
  </Command.Group>
);

interface FooterProps {
  isSignedIn: boolean;
  problem: string | null;
  groups: readonly PaletteGroup[];
  isWaiting: boolean;
}

function Footer({ isSignedIn, problem, groups, isWaiting }: FooterProps) {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-t border-line px-4 py-2 text-xs text-muted">
      <p>{problem ?? (isSignedIn ? "Your keys and requests are included." : "Connect a wallet to search your keys and requests.")}</p>
      <p role="status" className="sr-only">
        {isWaiting ? "" : count === 1 ? "1 result" : `${count} results`}
      </p>
      <p aria-hidden="true" className="max-sm:hidden">
        ↑↓ to move, Enter to open
      </p>
    </div>
  );
}
