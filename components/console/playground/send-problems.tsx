import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";
import { Button } from "../../ui/button";
import type { ContextProblem } from "./context-fit";
import { type SizeProblem, sizeText } from "./size-fit";

interface SendProblemsProps {
  size: SizeProblem | null;
  context: ContextProblem | null;
  model: ModelPrice;
  onModel: (id: string) => void;
}

/** Why a message is not sent, or may be refused. */
export function SendProblems({ size, context, model, onModel }: SendProblemsProps) {
  if (size) {
    return (
      <p role="status" className="px-2 pt-1 pb-2 text-sm text-red">
        This request is {sizeText(size.bytes)}. The limit is {sizeText(size.limitBytes)}. Shorten it, or start a new chat.
      </p>
    );
  }
  return context ? <ContextNotice problem={context} model={model} onModel={onModel} /> : null;
}

interface ContextNoticeProps {
  problem: ContextProblem;
  model: ModelPrice;
  onModel: (id: string) => void;
}

/** A prompt longer than its model reads, and what to do. */
const ContextNotice = ({ problem: { tokens, isCertain, isRefused, alternative }, model, onModel }: ContextNoticeProps) => (
  <div className="grid justify-items-start gap-3 px-2 pt-1 pb-2 text-sm">
    <p role="status" className={isRefused ? "text-red" : "text-amber-ink"}>
      {isCertain
        ? `This prompt is too long for ${model.id}: about ${countText(tokens)} tokens, and the model reads ${countText(model.contextWindow)}.`
        : `This prompt may be too long for ${model.id}, which reads ${countText(model.contextWindow)} tokens.`}{" "}
      {alternative ? "Shorten it, or use a model that reads more." : "Shorten it. No model here reads more."}
    </p>
    {alternative ? (
      <Button size="small" className="max-w-full" onClick={() => onModel(alternative.id)}>
        <span className="truncate">
          Use {alternative.id} ({countText(alternative.contextWindow)})
        </span>
      </Button>
    ) : null}
  </div>
);
