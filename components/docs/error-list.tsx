import Link from "next/link";

interface ErrorListProps {
  errors: readonly { code: string; status: number; title: string }[];
}

/** Links to every error code. */
export function ErrorList({ errors }: ErrorListProps) {
  return (
    <ul className="border-t border-edge text-sm">
      {errors.map(({ code, status, title }) => (
        <li key={code} className="border-b border-line">
          <Link
            href={`/docs/errors/${code}`}
            className="group grid grid-cols-[40px_1fr] gap-x-4 py-2.5 transition hover:bg-panel sm:grid-cols-[40px_250px_1fr]"
          >
            <span className="font-mono text-muted">{status}</span>
            <span className="font-mono break-all underline-offset-4 group-hover:underline">{code}</span>
            <span className="text-muted max-sm:col-start-2">{title}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
