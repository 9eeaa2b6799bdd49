import { SnowflakeIcon } from "lucide-react";

/** Explains why a frozen account can change little. */
export const FrozenNotice = () => (
  <p role="status" className="mb-6 flex gap-2.5 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
    <SnowflakeIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
    This account is frozen. Its keys get 401. You can still pause and revoke keys, unlink or keep wallets and end sessions. Contact the
    operator.
  </p>
);
