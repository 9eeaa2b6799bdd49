"use client";

import { CodeIcon, LinkIcon, MessagesSquareIcon, PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Answer } from "@/lib/console/views/answer";
import type { CodeTarget } from "../../docs/api-call";
import { Button } from "../../ui/button";
import { WalletFormLoading } from "../../wallet/wallet-loading";
import { WalletSection } from "../../wallet/wallet-section";
import type { SignedChallenge } from "../../wallet/wallet-types";
import { PageHeading } from "../page-heading";
import { Chat } from "./chat/chat";
import { SetupPanel } from "./chat/setup-panel";
import type { DrawPayment, WalletPaySettings } from "./pay/pay-types";
import { type PlaygroundSettings, usePlayground } from "./use-playground";

const WalletPay = dynamic(() => import("./pay/pay-steps").then((module) => module.WalletPay), {
  ssr: false,
  loading: WalletFormLoading,
});
const CodeDialog = dynamic(() => import("./code/code-dialog").then((module) => module.CodeDialog), { ssr: false });
const ShareDialog = dynamic(() => import("./share/share-dialog").then((module) => module.ShareDialog), { ssr: false });
const ConversationList = dynamic(() => import("./chat/conversation-list").then((module) => module.ConversationList), { ssr: false });

type OpenDialog = "code" | "share" | "conversations" | null;

interface PlaygroundProps extends PlaygroundSettings {
  isFrozen: boolean;
  target: CodeTarget;
  /** Names of the account's keys that may send requests. */
  keyNames: readonly string[];
  /** Paying with a wallet; null where that is not offered. */
  walletPay: WalletPaySettings | null;
  drawPayment: DrawPayment;
  allowSpending: (proof?: SignedChallenge) => Promise<Answer>;
}

/** A conversation with a model: each turn's price before it runs, its answer while it arrives, charged as the API charges it. */
export function Playground({ isFrozen, target, keyNames, walletPay, drawPayment, allowSpending, ...settings }: PlaygroundProps) {
  const page = usePlayground(settings);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const dialogOf = (name: OpenDialog) => ({ open: dialog === name, onOpenChange: (open: boolean) => setDialog(open ? name : null) });
  const { running } = page;
  const busyId = (running && page.conversations.all.find(({ turns }) => turns.at(-1)?.id === running.id)?.id) ?? null;
  return (
    <>
      <PageHeading title="Playground" action={<Actions count={page.conversations.all.length} page={page} onDialog={setDialog} />}>
        <span className="max-md:hidden">Each message is a real request, charged like an API call.</span>
      </PageHeading>
      <LinkNotes {...settings} page={page} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 border-t border-line pt-5 lg:grid-cols-[280px_minmax(0,1fr)]">
        <SetupPanel models={settings.models} setup={page.setup} problems={page.problems} onChange={page.changeSetup} />
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
          <Chat page={page} isFrozen={isFrozen} allowSpending={allowSpending} />
          {walletPay && !isFrozen ? (
            <div className="flex flex-wrap">
              <WalletSection title="Pay with my wallet" Heading="h2">
                <WalletPay
                  {...walletPay}
                  quote={page.quote}
                  isBusy={!page.maySend || !page.isCurrent}
                  drawPayment={drawPayment}
                  onSigned={page.sendMessage}
                />
              </WalletSection>
            </div>
          ) : null}
        </div>
      </div>
      {dialog === "code" ? <CodeDialog {...dialogOf("code")} target={target} keyNames={keyNames} body={page.writtenBody()} /> : null}
      {dialog === "share" ? <ShareDialog {...dialogOf("share")} setup={page.setup} /> : null}
      {dialog === "conversations" ? (
        <ConversationList
          {...dialogOf("conversations")}
          conversations={page.conversations.all}
          shownId={page.conversations.shown?.id ?? null}
          busyId={busyId}
          onShow={(id) => {
            page.openConversation(id);
            setDialog(null);
          }}
          onRename={(conversation, title) => {
            page.conversations.put({ ...conversation, title });
            page.conversations.save();
          }}
          onRemove={(id) => page.conversations.remove([id])}
          onRemoveAll={() => page.conversations.remove(page.conversations.all.map(({ id }) => id))}
        />
      ) : null}
    </>
  );
}

type Page = ReturnType<typeof usePlayground>;

interface ActionsProps {
  /** Of kept conversations. */
  count: number;
  page: Page;
  onDialog: (dialog: OpenDialog) => void;
}

/** On a phone their icons are enough, so that the message's field is in sight. */
const Actions = ({ count, page, onDialog }: ActionsProps) => {
  const look = "max-md:size-11 max-md:px-0";
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        className={look}
        disabled={page.isBusy || (page.turns.length === 0 && !page.linked.isShown)}
        onClick={() => page.openConversation(null)}
      >
        <PlusIcon aria-hidden="true" /> <span className="max-md:sr-only">New chat</span>
      </Button>
      <Button className={look} disabled={page.isBusy} onClick={() => onDialog("conversations")}>
        <MessagesSquareIcon aria-hidden="true" /> <span className="max-md:sr-only">Conversations{count > 0 ? ` (${count})` : ""}</span>
      </Button>
      <Button className={look} onClick={() => onDialog("share")}>
        <LinkIcon aria-hidden="true" /> <span className="max-md:sr-only">Share set-up</span>
      </Button>
      <Button className={look} onClick={() => onDialog("code")}>
        <CodeIcon aria-hidden="true" /> <span className="max-md:sr-only">View code</span>
      </Button>
    </div>
  );
};

interface LinkNotesProps extends Pick<PlaygroundSettings, "link" | "initialModel"> {
  page: Page;
}

/** Notes on the link that opened the page, and on conversations that this browser does not keep. */
const LinkNotes = ({ link, initialModel, page }: LinkNotesProps) => {
  const { linked } = page;
  const { unkept } = page.conversations;
  return (
    <>
      {link.kind === "unknown" && page.model === initialModel ? (
        <p role="status" className="mb-4 text-sm wrap-anywhere text-amber-ink">
          Unknown model “{link.model}”. Using {initialModel.id} instead.
        </p>
      ) : null}
      {linked.problem !== null ? (
        <p role="alert" className="mb-4 text-sm wrap-anywhere text-red">
          {linked.problem}
        </p>
      ) : null}
      {linked.isShown ? (
        <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
          <p role="status" className="wrap-anywhere text-muted">
            This set-up is from the link that you opened.{" "}
            {linked.unknownModel === null
              ? "Check it before you send a message."
              : `Its model “${linked.unknownModel}” is unknown. Using ${initialModel.id} instead.`}{" "}
            Your own set-up and draft are kept.
          </p>
          <Button size="small" className="max-md:h-11" disabled={page.isBusy} onClick={linked.end}>
            Back to my draft
          </Button>
        </div>
      ) : null}
      {unkept ? (
        <p role="status" className="mb-4 text-sm text-amber-ink">
          {unkept === "full"
            ? "This browser’s storage is full. This conversation ends when you leave the page. Delete other conversations to keep it."
            : "This browser does not allow storage. Conversations end when you leave the page."}
        </p>
      ) : null}
    </>
  );
};
