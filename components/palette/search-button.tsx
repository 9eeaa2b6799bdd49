"use client";

import { type ComponentType, useCallback, useEffect, useState } from "react";
import { SearchIcon } from "../ui/icons";

interface PaletteProps {
  isSignedIn: boolean;
  onClose: () => void;
}

/** Opens the command palette, as Ctrl K and ⌘ K do anywhere. The palette is loaded when it is first opened. */
export function SearchButton({ isSignedIn }: { isSignedIn: boolean }) {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null);
  const [isOpen, setOpen] = useState(false);

  const open = useCallback(() => {
    setOpen(true);
    import("./palette").then(
      (loaded) => setPalette(() => loaded.Palette),
      () => setOpen(false), // offline, or a version that is no longer served: the next click tries again
    );
  }, []);
  const close = useCallback(() => setOpen(false), []);

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [open]);

  return (
    <>
      <button
        type="button"
        onClick={open}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        aria-busy={isOpen && !Palette}
        className="flex h-11 items-center gap-2 rounded px-3 text-sm text-muted transition hover:text-ink max-sm:w-11 max-sm:justify-center max-sm:px-0 sm:h-8 sm:border sm:border-line sm:hover:border-edge"
      >
        <SearchIcon />
        <span className="max-sm:sr-only">Search</span>
        <span aria-hidden="true" className="font-mono text-xs text-faint max-lg:hidden">
          ⌘K
        </span>
      </button>
      {isOpen && Palette ? <Palette isSignedIn={isSignedIn} onClose={close} /> : null}
    </>
  );
}
