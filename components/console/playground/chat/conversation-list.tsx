"use client";

import { DownloadIcon, EllipsisIcon, PencilIcon, Trash2Icon } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Amount } from "@/components/ui/text/amount";
import { Button } from "../../../ui/button";
import { ConfirmDialog } from "../../../ui/confirm-dialog";
import { Dialog } from "../../../ui/dialog";
import { Input } from "../../../ui/field";
import { Menu, MenuItem, MenuSeparator } from "../../../ui/menu";
import { MAX_CONVERSATIONS } from "../kept/kept-conversations";
import { download, exportJson, exportMarkdown, fileName } from "../share/export";
import { type Conversation, costOfConversation, titleOf } from "./conversation";

interface ConversationListProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The newest first. */
  conversations: readonly Conversation[];
  shownId: string | null;
  /** A run is under way in it: it cannot be deleted. */
  busyId: string | null;
  onShow: (id: string) => void;
  onRename: (conversation: Conversation, title: string) => void;
  onRemove: (id: string) => void;
  onRemoveAll: () => void;
}

/** The conversations of this browser. */
export function ConversationList({ open, onOpenChange, conversations, onRemoveAll, ...rest }: ConversationListProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      place="side"
      title="Conversations"
      description={`Up to ${MAX_CONVERSATIONS} conversations are kept in this browser until you sign out. They are stored nowhere else. Images are not kept. Export what you need longer.`}
    >
      {conversations.length === 0 ? (
        <p className="rounded border border-dashed border-edge px-4 py-8 text-center text-sm text-muted">
          No conversations yet. They appear here when you send a message.
        </p>
      ) : (
        <>
          <ul className="border-t border-line">
            {conversations.map((conversation) => (
              <ConversationRow key={conversation.id} conversation={conversation} {...rest} />
            ))}
          </ul>
          <Button look="danger" className="mt-5 max-md:h-11" disabled={rest.busyId !== null} onClick={() => setAsking(true)}>
            Delete all
          </Button>
        </>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Delete all conversations?"
        description="They are removed from this browser and cannot be restored. Their receipts stay in Usage."
        action="Delete all"
        cancel="Keep them"
        onConfirm={() => {
          setAsking(false);
          onRemoveAll();
        }}
      />
    </Dialog>
  );
}

type RowProps = Pick<ConversationListProps, "shownId" | "busyId" | "onShow" | "onRename" | "onRemove"> & { conversation: Conversation };

function ConversationRow({ conversation, shownId, busyId, onShow, onRename, onRemove }: RowProps) {
  const [isRenaming, setRenaming] = useState(false);
  const title = titleOf(conversation);
  if (isRenaming) {
    return (
      <li className="border-b border-line py-2">
        <RenameForm
          title={title}
          onCancel={() => setRenaming(false)}
          onRename={(next) => {
            setRenaming(false);
            onRename(conversation, next);
          }}
        />
      </li>
    );
  }
  const { charged } = costOfConversation(conversation);
  return (
    <li className="flex items-center gap-1 border-b border-line">
      <button
        type="button"
        aria-current={conversation.id === shownId ? "true" : undefined}
        onClick={() => onShow(conversation.id)}
        className="grid min-h-12 min-w-0 flex-1 content-center rounded-sm px-2 py-1.5 text-left transition hover:bg-panel aria-[current]:bg-panel"
      >
        <span className="truncate text-sm">{title}</span>
        <span className="flex gap-3 text-xs text-muted">
          <time dateTime={new Date(conversation.updatedAt).toISOString()}>{dateText(conversation.updatedAt)}</time>
          <span className="font-mono">
            <Amount nano={charged} />
          </span>
        </span>
      </button>
      <RowMenu
        conversation={conversation}
        title={title}
        isBusy={conversation.id === busyId}
        onRename={() => setRenaming(true)}
        onRemove={() => onRemove(conversation.id)}
      />
    </li>
  );
}

interface RowMenuProps {
  conversation: Conversation;
  title: string;
  isBusy: boolean;
  onRename: () => void;
  onRemove: () => void;
}

const RowMenu = ({ conversation, title, isBusy, onRename, onRemove }: RowMenuProps) => (
  <Menu
    trigger={
      <Button look="quiet" size="icon" className="max-md:size-11" aria-label={`Actions for ${title}`}>
        <EllipsisIcon aria-hidden="true" />
      </Button>
    }
  >
    <MenuItem onSelect={onRename}>
      <PencilIcon aria-hidden="true" /> Rename
    </MenuItem>
    <MenuItem onSelect={() => download(fileName(conversation, "md"), exportMarkdown(conversation), "text/markdown")}>
      <DownloadIcon aria-hidden="true" /> Export as Markdown
    </MenuItem>
    <MenuItem onSelect={() => download(fileName(conversation, "json"), exportJson(conversation), "application/json")}>
      <DownloadIcon aria-hidden="true" /> Export as JSON
    </MenuItem>
    <MenuSeparator />
    <MenuItem danger disabled={isBusy} onSelect={onRemove}>
      <Trash2Icon aria-hidden="true" /> Delete
    </MenuItem>
  </Menu>
);

const MAX_TITLE = 100;

interface RenameFormProps {
  title: string;
  onRename: (title: string) => void;
  onCancel: () => void;
}

function RenameForm({ title, onRename, onCancel }: RenameFormProps) {
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") onRename(text.trim());
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap gap-2">
      <Input
        autoFocus
        aria-label="Name"
        maxLength={MAX_TITLE}
        className="min-w-0 flex-1"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={text.trim() === ""}>
        Rename
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}

const dateText = (ms: number): string => new Date(ms).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
