"use client";

import { ImagePlusIcon, XIcon } from "lucide-react";
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { toast } from "sonner";
import { Button } from "../../../ui/button";
import type { Run } from "../run";
import { StopNote } from "../stop-note";
import type { AttachedImage } from "./conversation";
import { MAX_TURN_IMAGES, readImage } from "./read-image";

interface ComposerProps {
  text: string;
  images: readonly AttachedImage[];
  /** The run under way. */
  running: Run | undefined;
  /** A run is under way. */
  isBusy: boolean;
  maySend: boolean;
  takesImages: boolean;
  model: string;
  /** Another conversation: its field is focused. */
  conversationId: string | null;
  onText: (text: string) => void;
  onImages: (images: readonly AttachedImage[]) => void;
  onSend: () => void;
  onStop: () => void;
  /** Above the field: the obstacle to sending the message. */
  children?: ReactNode;
  /** Below it: what the message may cost. */
  footer: ReactNode;
}

/** A phone's keyboard has no Shift+Enter: there Enter begins a line. */
const isTouched = (): boolean => window.matchMedia("(pointer: coarse)").matches;

/** Where a message is written and sent, and a run is stopped. */
export function Composer({ children, footer, ...props }: ComposerProps) {
  const { text, images, running, isBusy, maySend, takesImages, model, onText, onImages, onSend, onStop } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const attach = useAttach({ images, onImages, takesImages, model });
  useGrowing(field, text);
  useFocusOnNew(field, props.conversationId);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isBusy) return onStop();
    // The key that accepts what an input method proposes sends nothing.
    if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
    const isSend = event.ctrlKey || event.metaKey || !(event.shiftKey || event.altKey || isTouched());
    if (!isSend) return;
    event.preventDefault();
    // A key that is held down sends once.
    if (maySend && !event.repeat) onSend();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files].filter(({ type }) => type.startsWith("image/"));
    if (files.length === 0) return;
    event.preventDefault();
    void attach.add(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shortcuts of the controls inside
    <div onKeyDown={onKeyDown} className="rounded border border-edge bg-paper p-2 focus-within:border-faint">
      {children}
      <Attached images={images} onRemove={(index) => onImages(images.filter((_, at) => at !== index))} />
      <textarea
        ref={field}
        aria-label="Prompt"
        aria-describedby={isBusy ? noteId : undefined}
        placeholder="Write a message"
        rows={1}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onPaste={onPaste}
        className="max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-2 py-2.5 text-base text-ink outline-none placeholder:text-faint md:text-sm"
      />
      <div className="flex flex-wrap items-center gap-2">
        <label
          title={takesImages ? undefined : `${model} does not take images.`}
          className={`inline-flex size-10 items-center justify-center rounded text-muted transition focus-within:outline-2 focus-within:outline-copper max-md:size-11 ${takesImages ? "cursor-pointer hover:bg-panel hover:text-ink" : "cursor-not-allowed opacity-50"}`}
        >
          <ImagePlusIcon aria-hidden="true" className="size-4" />
          <span className="sr-only">Add images</span>
          <input
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            multiple
            disabled={!takesImages}
            className="sr-only"
            onChange={({ target }) => {
              void attach.add([...(target.files ?? [])]);
              target.value = "";
            }}
          />
        </label>
        <div className="min-w-0 flex-1 text-xs">{isBusy ? <StopNote id={noteId} run={running} /> : footer}</div>
        {isBusy ? (
          <Button className="max-md:h-11" aria-describedby={noteId} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" className="max-md:h-11" onClick={onSend} disabled={!maySend}>
            Run
          </Button>
        )}
      </div>
    </div>
  );
}

/** As high as its text, up to its maximum. */
function useGrowing(field: { current: HTMLTextAreaElement | null }, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useEffect(() => {
    if (!field.current) return;
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
}

/** A conversation that was opened, or begun, by its reader begins with its field. */
function useFocusOnNew(field: { current: HTMLTextAreaElement | null }, conversationId: string | null): void {
  const known = useRef(conversationId);
  useEffect(() => {
    // The first is opened by the page itself.
    if (known.current !== null && known.current !== conversationId && !isTouched()) field.current?.focus();
    known.current = conversationId;
  }, [conversationId, field]);
}

interface AttachOptions extends Pick<ComposerProps, "images" | "onImages" | "takesImages" | "model"> {}

function useAttach({ images, onImages, takesImages, model }: AttachOptions) {
  const [isReading, setReading] = useState(false);
  const add = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0 || isReading) return;
    if (!takesImages) return void toast.error(`${model} does not take images. Choose another model.`);
    if (images.length + files.length > MAX_TURN_IMAGES) return void toast.error(`Add at most ${MAX_TURN_IMAGES} images to a message.`);
    setReading(true);
    const read = await Promise.all(files.map(readImage));
    setReading(false);
    const failed = read.find((one) => "problem" in one);
    if (failed && "problem" in failed) toast.error(failed.problem);
    onImages([...images, ...read.flatMap((one) => ("problem" in one ? [] : [one]))]);
  };
  return { add };
}

const Attached = ({ images, onRemove }: { images: readonly AttachedImage[]; onRemove: (index: number) => void }) =>
  images.length === 0 ? null : (
    <ul aria-label="Images of this message" className="mb-1 flex flex-wrap gap-2 p-1">
      {images.map(({ name, url }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two images may have one name
        <li key={index} className="relative">
          {/* biome-ignore lint/performance/noImgElement: a data URL needs no optimizer */}
          <img src={url ?? ""} alt={name} className="h-16 max-w-32 rounded border border-line object-cover" />
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(index)}
            className="absolute -top-2 -right-2 grid size-6 place-items-center rounded-full border border-edge bg-paper text-muted hover:text-ink"
          >
            <XIcon aria-hidden="true" className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );
