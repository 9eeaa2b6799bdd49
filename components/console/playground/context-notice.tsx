import { countText } from "@/components/ui/text/number-text";
import type { ModelPrice } from "@/lib/console/views/models";
import { Button } from "../../ui/button";
import type { ContextProblem } from "./context-fit";

interface ContextNoticeProps {
  problem: ContextProblem;
  model: ModelPrice;
  onModel: (id: string) => void;
}

/** A prompt longer than its model reads, and what to do. */
export const ContextNotice = ({ problem: { tokens, isCertain, alternative }, model, onModel }: ContextNoticeProps) => (
  <div className="grid justify-items-start gap-3 text-sm">
    <p role="status" className="text-amber-ink">
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
