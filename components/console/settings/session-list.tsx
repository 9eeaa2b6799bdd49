"use client";

import { useState } from "react";
import { toast } from "sonner";
import { shortAddress } from "@/components/ui/text/short-address";
import { TimeAgo } from "@/components/ui/text/time-ago";
import { momentText } from "@/components/ui/text/time-text";
import type { Answer, Refusal } from "@/lib/console/views/answer";
import type { SessionView } from "@/lib/console/views/settings";
import { Badge } from "../../ui/badge";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { ActionButton } from "../action-button";
import { clearOnSignOut } from "../clear-on-sign-out";
import { useAction } from "../use-action";

type EndSession = (session: { sessionId: string }) => Promise<Answer>;
/** Redirects to the sign-in page; returns only a refusal. */
type EndSessions = (wish: { pausesKeys: boolean }) => Promise<Refusal>;

interface SessionListProps {
  sessions: readonly SessionView[];
  end: EndSession;
  endAll: EndSessions;
  /** The server's clock, Unix milliseconds. */
  nowMs: number;
}

/** The browsers that are signed in. */
export function SessionList({ sessions, end, endAll, nowMs }: SessionListProps) {
  return (
    <>
      <ul className="text-sm">
        {sessions.map((session) => (
          <li key={session.sessionId} className="flex items-center gap-3 border-b border-line py-3 first:pt-0">
            <span className="min-w-0 grow">
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                {session.device}
                {session.isCurrent ? <Badge tone="good">this browser</Badge> : null}
              </span>
              <span className="mt-0.5 flex flex-wrap gap-x-1 text-xs text-muted">
                <span className="font-mono" title={session.wallet.address}>
                  {shortAddress(session.wallet.address)}
                </span>
                <span className="break-all">· {session.clientAddress}</span>
                <span>
                  · active <TimeAgo at={session.lastSeenAt} nowMs={nowMs} />
                </span>
              </span>
            </span>
            {session.isCurrent ? null : <End session={session} end={end} />}
          </li>
        ))}
      </ul>
      <EndAll count={sessions.length} endAll={endAll} />
    </>
  );
}

const End = ({ session: { sessionId, device, createdAt }, end }: { session: SessionView; end: EndSession }) => (
  <ActionButton
    action={end}
    input={{ sessionId }}
    done="Signed out that browser."
    aria-label={`Sign out ${device}, signed in ${momentText(createdAt)}`}
  >
    Sign out
  </ActionButton>
);

function EndAll({ count, endAll }: { count: number; endAll: EndSessions }) {
  const [open, setOpen] = useState(false);
  const [pausesKeys, setPausesKeys] = useState(false);
  const { busy, run } = useAction();
  const confirm = async () => {
    const answer = await clearOnSignOut(run(() => endAll({ pausesKeys })));
    if (!answer.ok) toast.error(answer.message);
  };
  return (
    <>
      <Button look="danger" className="mt-4" onClick={() => setOpen(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        cancel="Stay signed in"
        open={open}
        onOpenChange={(wanted) => wanted || busy || setOpen(false)}
        title="Sign out everywhere?"
        description={count === 1 ? "You will be signed out." : `All ${count} sessions end, including this one.`}
        action="Sign out everywhere"
        busy={busy}
        onConfirm={() => void confirm()}
      >
        <label className="mb-5 flex items-start gap-2.5 text-sm">
          <input
            type="checkbox"
            className="mt-0.5 size-4 accent-copper"
            checked={pausesKeys}
            onChange={({ target }) => setPausesKeys(target.checked)}
          />
          <span>
            Pause all API keys too
            <span className="block text-xs text-muted">Select this if someone else was signed in. Otherwise your keys keep working.</span>
          </span>
        </label>
      </ConfirmDialog>
    </>
  );
}
