import { SnowflakeIcon } from "lucide-react";

/** Explains why little can be changed: the account is frozen, or the wallet of this session is leaving it. */
export const FrozenNotice = ({ isLeaving }: { isLeaving: boolean }) => (
  <p role="status" className="mb-6 flex gap-2.5 rounded border border-amber-edge bg-amber-wash px-4 py-3 text-sm text-amber-ink">
    <SnowflakeIcon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
    {isLeaving ? leavingText : frozenText}
  </p>
);

const frozenText =
  "This account is frozen. Its keys get 401. You can still cancel withdrawals, pause and revoke keys, unlink or keep wallets and end sessions. Contact support.";

const leavingText =
  "The wallet you signed in with is being unlinked. Until then you can only cancel withdrawals, pause and revoke keys, and end sessions. If this was not you, keep the wallet in Settings by signing with another one, or contact support with your account ID.";
