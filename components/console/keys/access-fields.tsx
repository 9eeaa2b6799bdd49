"use client";

import type { Dispatch } from "react";
import type { KeyUse } from "@/lib/console/views/keys";
import { Field, Input, Select } from "../../ui/field";
import type { LimitsDraft } from "./limits-draft";

const uses: Record<KeyUse, { text: string; hint: string }> = {
  spend: { text: "Send prompts", hint: "It cannot read balance, usage or receipts." },
  spend_and_read: { text: "Send prompts, read its own usage", hint: "It also reads the balance, but not what your other keys did." },
  spend_and_account: { text: "Send prompts, read the account", hint: "It also reads the usage of all your keys, and your events." },
  read: { text: "Read its own usage", hint: "It reads the balance too, and cannot spend." },
  read_account: { text: "Read the account", hint: "It reads the usage of all your keys and your events, and cannot spend." },
};

interface AccessFieldsProps {
  draft: LimitsDraft;
  change: Dispatch<Partial<LimitsDraft>>;
  errorOf: (field: string) => string | null;
}

/** What a key may do, and from which addresses. */
export const AccessFields = ({ draft: { use, networks }, change, errorOf }: AccessFieldsProps) => (
  <>
    <Field label="Allowed to" error={errorOf("scopes")} hint={uses[use].hint}>
      {(control) => (
        <Select {...control} value={use} onChange={({ target }) => change({ use: target.value as KeyUse })}>
          {Object.entries(uses).map(([name, { text }]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
    <Field
      label="Allowed addresses"
      error={errorOf("networks")}
      hint="IP addresses or CIDR blocks, separated by spaces. Leave empty to allow all."
    >
      {(control) => (
        <Input
          {...control}
          value={networks}
          onChange={({ target }) => change({ networks: target.value })}
          placeholder="203.0.113.7 198.51.100.0/24"
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Field>
  </>
);
