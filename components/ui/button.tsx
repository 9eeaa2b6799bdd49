import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import type { ComponentProps, MouseEvent } from "react";
import { classNames } from "./class-names";

const looks = cva(
  "inline-flex shrink-0 items-center justify-center gap-2 rounded font-medium whitespace-nowrap transition disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-not-allowed aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      look: {
        /** One per page. */
        primary: "bg-ink text-paper enabled:hover:bg-muted",
        plain: "border border-edge bg-paper text-ink enabled:hover:bg-panel",
        quiet: "text-muted enabled:hover:bg-panel enabled:hover:text-ink",
        danger: "border border-red text-red enabled:hover:bg-red enabled:hover:text-paper",
      },
      size: { small: "h-8 px-3 text-xs", normal: "h-10 px-4 text-sm", icon: "size-8 text-sm" },
    },
    defaultVariants: { look: "plain", size: "normal" },
  },
);

interface ButtonProps extends ComponentProps<"button">, VariantProps<typeof looks> {
  /** Busy: it cannot be clicked again, keeps the keyboard's focus, and screen readers are notified. */
  busy?: boolean;
  /** Gives its style to its only child, such as a link. */
  asChild?: boolean;
}

export function Button({
  look,
  size,
  busy = false,
  asChild = false,
  className,
  disabled,
  type = "button",
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const classes = classNames(looks({ look, size }), className);
  if (asChild) {
    return (
      <Slot.Root className={classes} onClick={onClick} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      type={type}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? ignore : onClick}
      className={classes}
      {...rest}
      {...(busy && { onPointerDown: ignore, onKeyDown: undefined })}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  );
}

/** Enter in a form's field clicks its submit button, too. */
const ignore = (event: MouseEvent) => event.preventDefault();

function Spinner() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" fill="none" className="animate-spin motion-reduce:animate-none">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
