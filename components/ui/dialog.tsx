"use client";

import { XIcon } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { classNames } from "./class-names";
import { DIALOG_MARK, useBackCloses } from "./use-back-closes";
import { firstControl } from "./wrong-field";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** In the middle, or as a drawer at the side (from below on a phone). */
  place?: "middle" | "side";
  /** Neither Escape, Back nor a click outside closes it: its content is shown only once. */
  mustAnswer?: boolean;
  /** The page's address says whether it is open: Back closes it anyway. */
  isInAddress?: boolean;
}

const places = {
  middle:
    "top-1/2 left-1/2 max-h-[calc(100dvh-32px)] w-[calc(100vw-32px)] max-w-lg -translate-x-1/2 -translate-y-1/2 rounded border border-edge",
  side: "inset-y-0 right-0 w-full max-w-md border-l border-edge max-sm:inset-x-0 max-sm:top-auto max-sm:max-h-[88dvh] max-sm:max-w-none max-sm:rounded-t max-sm:border-t max-sm:border-l-0",
};

/**
 * A dialog that traps the focus, beginning with its first field, closes on Escape and on Back, and returns the focus to where it was. Never on
 * its close button: a space would close it.
 */
export function Dialog({ open, onOpenChange, title, description, children, ...options }: DialogProps) {
  const { place = "middle", mustAnswer = false, isInAddress = false } = options;
  const stay = (event: Event) => {
    // RainbowKit's list of wallets opens beside this dialog; the dialog's content may be inside its provider, too.
    const { target } = event instanceof CustomEvent ? event.detail.originalEvent : event;
    if (mustAnswer || (target instanceof Element && !content.current?.contains(target) && target.closest("[data-rk]")))
      event.preventDefault();
  };
  const opener = useRef<Element | null>(null);
  const content = useRef<HTMLDivElement>(null);
  useBackCloses(content, { isOpen: open && !isInAddress, isHeld: mustAnswer, close: () => onOpenChange(false) });
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-20 bg-ink/30 backdrop-blur-[1px] dark:bg-paper/60" />
        <Radix.Content
          ref={content}
          {...{ [DIALOG_MARK]: "" }}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            event.preventDefault();
            const part = content.current;
            if (part) (firstControl(part) ?? part.querySelector<HTMLElement>("[data-first-focus]") ?? part).focus();
          }}
          onCloseAutoFocus={(event) => {
            // Radix returns the focus to its own trigger; these dialogs are opened by other elements of the page.
            if (!(opener.current instanceof HTMLElement) || !opener.current.isConnected) return;
            event.preventDefault();
            opener.current.focus();
          }}
          onEscapeKeyDown={stay}
          onPointerDownOutside={stay}
          onInteractOutside={stay}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={classNames("fixed z-30 overflow-y-auto bg-paper p-6 text-ink shadow-lg outline-none", places[place])}
        >
          <div className="flex items-start justify-between gap-4">
            <Radix.Title className="text-lg font-medium tracking-tight">{title}</Radix.Title>
            {mustAnswer ? null : (
              <Radix.Close
                aria-label="Close"
                className="-mt-2.5 -mr-3 grid size-11 shrink-0 place-items-center rounded text-muted transition hover:text-ink"
              >
                <XIcon className="size-4" />
              </Radix.Close>
            )}
          </div>
          {description ? <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description> : null}
          <div className="mt-5">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
