"use client";

import { PlusIcon } from "lucide-react";
import { usePathname } from "next/navigation";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button";
import type { KeyActions, ModelChoice } from "./key-actions";
import { NewKey } from "./key-dialogs";

interface CreateKeyProps {
  create: KeyActions["create"];
  models: readonly ModelChoice[];
  disabled?: boolean;
  /** The page's URL asks for it. */
  initiallyOpen?: boolean;
}

/** The button that creates a key. */
export function CreateKey({ create, models, disabled = false, initiallyOpen = false }: CreateKeyProps) {
  const [open, setOpen] = useState(false);
  const path = usePathname();
  useEffect(() => {
    if (!initiallyOpen) return;
    window.history.replaceState(null, "", path); // or the next reload would open it again
    setOpen(!disabled);
  }, [initiallyOpen, disabled, path]);
  return (
    <>
      <Button look="primary" disabled={disabled} onClick={() => setOpen(true)}>
        <PlusIcon aria-hidden="true" /> Create key
      </Button>
      {open ? <NewKey create={create} models={models} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
