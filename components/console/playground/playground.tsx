"use client";

import { CodeIcon, LinkIcon, MessagesSquareIcon, PlusIcon } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
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
import { readSetupLink } from "./share/setup-link";
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
  const linked = useLinkedSetup(page.changeSetup, settings);
  const dialogOf = (name: OpenDialog) => ({ open: dialog === name, onOpenChange: (open: boolean) => setDialog(open ? name : null) });
  const busyId = page.isBusy ? page.conversations.latest.current.openId : null;
  return (
    <>
      <PageHeading title="Playground" action={<Actions count={page.conversations.all.length} page={page} onDialog={setDialog} />}>
        <span className="max-md:hidden">Each message is a real request, charged like an API call.</span>
      </PageHeading>
      <LinkNotes {...settings} page={page} linked={linked} />
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
      <Button className={look} disabled={page.isBusy || page.turns.length === 0} onClick={() => page.openConversation(null)}>
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
  linked: LinkedNote | null;
}

/** What became of the link that opened the page, and of what this browser does not keep. */
const LinkNotes = ({ link, initialModel, page, linked }: LinkNotesProps) => {
  const { unkept } = page.conversations;
  return (
    <>
      {link.kind === "unknown" && page.model === initialModel ? (
        <p role="status" className="mb-4 text-sm wrap-anywhere text-amber-ink">
          Unknown model “{link.model}”. Using {initialModel.id} instead.
        </p>
      ) : null}
      {linked ? (
        <p
          role={linked.isProblem ? "alert" : "status"}
          className={`mb-4 text-sm wrap-anywhere ${linked.isProblem ? "text-red" : "text-muted"}`}
        >
          {linked.text}
        </p>
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

interface LinkedNote {
  text: string;
  isProblem: boolean;
}

/** Takes over the set-up of the page's link, once, and removes it from the address. */
function useLinkedSetup(
  changeSetup: Page["changeSetup"],
  { models, initialModel }: Pick<PlaygroundSettings, "models" | "initialModel">,
): LinkedNote | null {
  const [note, setNote] = useState<LinkedNote | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each link that opens the page
  useEffect(() => {
    const take = () => {
      const linked = readSetupLink(window.location.hash);
      if (linked.kind === "none") return;
      window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
      if (linked.kind === "broken") return setNote({ text: linked.problem, isProblem: true });
      const isKnown = models.some(({ id }) => id === linked.setup.model);
      changeSetup({ ...linked.setup, model: isKnown ? linked.setup.model : initialModel.id });
      const text = isKnown
        ? "This set-up is from the link that you opened. Check it before you send a message."
        : `This set-up is from the link that you opened. Its model “${linked.setup.model}” is unknown. Using ${initialModel.id} instead.`;
      setNote({ text, isProblem: false });
    };
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return note;
}
