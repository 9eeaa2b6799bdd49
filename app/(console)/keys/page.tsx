import { KeyRoundIcon } from "lucide-react";
import type { Metadata } from "next";
import { readWalletAccess } from "@/app/wallet-access";
import { FrozenNotice } from "@/components/console/frozen-notice";
import { CreateKey } from "@/components/console/keys/create-key";
import { KeysTable } from "@/components/console/keys/keys-table";
import { RevokedKeys } from "@/components/console/keys/revoked-keys";
import { PageHeading } from "@/components/console/page-heading";
import { StepUp } from "@/components/console/step-up/step-up";
import { EmptyState } from "@/components/ui/empty-state";
import { nowMs } from "@/lib/base/clock";
import { readKeysView } from "@/lib/console/keys/key-form";
import { listOwnKeys, listOwnRevokedKeys } from "@/lib/console/keys/keys";
import { listModelPrices } from "@/lib/console/models";
import { listOwnWallets } from "@/lib/console/settings";
import { requestConfirmation } from "../confirmations";
import { forSession } from "../owner-actions";
import { requireOwner } from "../require-owner";
import { changeKeyLimits, createKey, endOldSecret, pauseKey, renameKey, resumeKey, revokeKey, rotateKey } from "./actions";

export const metadata: Metadata = { title: "API keys" };

interface KeysPageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function KeysPage({ searchParams }: KeysPageProps) {
  const owner = await requireOwner();
  const { creates, revokedBefore } = readKeysView(await searchParams);
  const [keys, revoked, wallets] = await Promise.all([listOwnKeys(owner), listOwnRevokedKeys(owner, revokedBefore), listOwnWallets(owner)]);
  const models = listModelPrices().map(({ id, provider }) => ({ id, provider }));
  const actions = forSession(owner, {
    create: createKey,
    rename: renameKey,
    changeLimits: changeKeyLimits,
    rotate: rotateKey,
    endOldSecret,
    pause: pauseKey,
    resume: resumeKey,
    revoke: revokeKey,
    ask: requestConfirmation,
  });
  const create = <CreateKey create={actions.create} models={models} disabled={owner.isFrozen} initiallyOpen={creates} />;
  return (
    <StepUp signers={wallets} access={readWalletAccess()} ask={actions.ask}>
      {/* Always there: a button among the keys would leave the page with its dialog, and a secret in it, once there is one. */}
      <PageHeading title="API keys" action={create}>
        Your apps use keys to spend from your balance, up to the limit you set. Keep keys secret.
      </PageHeading>
      {owner.isFrozen ? <FrozenNotice isLeaving={owner.isLeaving} /> : null}
      {keys.length > 0 ? (
        <KeysTable keys={keys} models={models} actions={actions} frozen={owner.isFrozen} nowMs={nowMs()} />
      ) : (
        <EmptyState picture={<KeyRoundIcon />} title={revoked.keys.length > 0 ? "No active keys" : "No keys yet"}>
          Your apps call the API with a key. Use one key per app, so you can track and revoke it separately.
        </EmptyState>
      )}
      {revoked.keys.length > 0 ? (
        <RevokedKeys
          keys={revoked.keys}
          olderHref={revoked.older && `/keys?revoked=${revoked.older}`}
          newestHref={revokedBefore && "/keys"}
        />
      ) : null}
    </StepUp>
  );
}
