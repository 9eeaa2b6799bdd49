import type { Dispatch } from "react";
import { textLimits } from "@/lib/base/typed/text-limits";
import type { KeyUse } from "@/lib/console/views/keys";
import { SelectField, TextField } from "../../ui/field";
import type { ErrorOf } from "../form-dialog";
import type { LimitsDraft } from "./limits-draft";

const uses: Record<KeyUse, { text: string; hint: string }> = {
  spend: { text: "Send requests", hint: "Cannot read your balance, usage or receipts." },
  spend_and_read: { text: "Send requests, read its own usage", hint: "Can read your balance, but not the usage of your other keys." },
  spend_and_account: { text: "Send requests, read the account", hint: "Can read your balance, your events and the usage of all keys." },
  read: { text: "Read its own usage", hint: "Can read your balance. Cannot spend." },
  read_account: { text: "Read the account", hint: "Can read your balance, your events and the usage of all keys. Cannot spend." },
};

interface AccessFieldsProps {
  draft: LimitsDraft;
  change: Dispatch<Partial<LimitsDraft>>;
  errorOf: ErrorOf;
}

/** The fields for a key's permissions, and its addresses. */
export const AccessFields = ({ draft: { use, networks }, change, errorOf }: AccessFieldsProps) => (
  <>
    <SelectField
      label="Permissions"
      error={errorOf("scopes")}
      hint={uses[use].hint}
      value={use}
      onChange={(wanted) => change({ use: wanted as KeyUse })}
    >
      {Object.entries(uses).map(([name, { text }]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </SelectField>
    <TextField
      label="Allowed IP addresses"
      error={errorOf("networks")}
      hint="IP addresses or CIDR blocks, separated by spaces. Leave empty to allow all."
      limit={textLimits.networks}
      value={networks}
      onChange={(addresses) => change({ networks: addresses })}
      placeholder="203.0.113.7 198.51.100.0/24"
      autoComplete="off"
      spellCheck={false}
    />
  </>
);
