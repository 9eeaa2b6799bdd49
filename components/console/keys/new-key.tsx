"use client";

import { CodeBlock } from "../../ui/code-block";
import { ShownOnce } from "../shown-once";
import type { CreatedKey } from "./key-actions";

interface NewKeyProps {
  created: CreatedKey;
  onStored: () => void;
}

/** A key just created, and a line to try it with. */
export const NewKey = ({ created: { key, curl }, onStored }: NewKeyProps) => (
  <ShownOnce
    label="The new key"
    copyLabel="Copy the key"
    secret={key}
    warning="You will not see this key again. Store it in a password manager or secret store, never in code or a browser. Anyone who has it can spend your balance."
    onStored={onStored}
  >
    <CodeBlock title="Try it" copy={curl} />
  </ShownOnce>
);
