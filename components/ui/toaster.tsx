"use client";

import { Toaster as Sonner } from "sonner";

/** Where short news appears: "Revoked. Calls with this key now get 401." */
export const Toaster = () => (
  <Sonner
    position="bottom-right"
    mobileOffset={{ bottom: 80 }} // above the console's bottom bar
    toastOptions={{
      unstyled: true,
      classNames: {
        toast: "flex w-full font-sans items-start gap-3 rounded border border-edge bg-paper p-4 text-sm text-ink shadow-lg",
        description: "text-muted",
        error: "border-red",
      },
    }}
  />
);
