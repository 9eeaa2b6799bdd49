import { momentText } from "@/components/ui/text/time-text";
import { Chapter } from "./chapter";

type Tone = "good" | "weak" | "bad";

export interface StatusLine {
  name: string;
  tone: Tone;
  word: string;
  /** Since when it is unhealthy, where that is known. */
  since: Date | null;
}

export interface StatusGroup {
  title: string;
  lines: readonly StatusLine[];
}

interface StatusReportProps {
  sentence: { tone: Tone; text: string };
  groups: readonly StatusGroup[];
  at: Date;
  runningSince: Date;
  /** The digest of the last entry of the audit log, which holds all before it; null while it is unknown. */
  auditHead: string | null;
}

const dots: Record<Tone, string> = { good: "bg-green", weak: "bg-amber-ink", bad: "bg-red" };
const inks: Record<Tone, string> = { good: "text-muted", weak: "text-amber-ink", bad: "text-red" };

/** The state of the service, in a sentence and part by part: each with a dot, and a word for screen readers. */
export function StatusReport({ sentence, groups, at, runningSince, auditHead }: StatusReportProps) {
  return (
    <div>
      <p className="pt-12 text-sm text-muted">Status</p>
      <h1 className="mt-2 flex items-baseline gap-3 text-xl font-medium tracking-[-0.025em]">
        <Dot tone={sentence.tone} large />
        <span role="status">{sentence.text}</span>
      </h1>
      <div className="grid gap-x-16 lg:grid-cols-2">
        {groups.map(({ title, lines }) => (
          <Chapter key={title} title={title} className="mt-10">
            <ul className="text-sm">
              {lines.map((line) => (
                <li key={line.name} className="flex flex-wrap items-baseline justify-between gap-x-6 border-b border-line py-2.5">
                  <span className="flex items-baseline gap-2.5 font-medium">
                    <Dot tone={line.tone} />
                    {line.name}
                  </span>
                  <span className={`max-sm:pl-[18px] sm:text-right ${inks[line.tone]}`}>
                    {line.word}
                    {line.since ? <Since at={line.since} /> : null}
                  </span>
                </li>
              ))}
            </ul>
          </Chapter>
        ))}
      </div>
      <p className="mt-6 text-xs text-muted">
        Checked <Moment at={at} /> by the server that answered you, which has been running since <Moment at={runningSince} />. For
        monitoring, use{" "}
        <a href="/api/ready" className="underline underline-offset-2 hover:text-ink">
          /api/ready
        </a>
        .
      </p>
      {auditHead === null ? null : (
        <p className="mt-2 text-xs text-muted">
          Audit log checksum. Keep it to verify later that no earlier entry was changed:{" "}
          <code className="font-mono [overflow-wrap:anywhere]">{auditHead}</code>
        </p>
      )}
    </div>
  );
}

const Dot = ({ tone, large = false }: { tone: Tone; large?: boolean }) => (
  <span aria-hidden="true" className={`inline-block shrink-0 rounded-full ${dots[tone]} ${large ? "size-3 -translate-y-0.5" : "size-2"}`} />
);

const Moment = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()} className="whitespace-nowrap">
    {momentText(at)}
  </time>
);

const Since = ({ at }: { at: Date }) => (
  <>
    {" "}
    (since <Moment at={at} />)
  </>
);
