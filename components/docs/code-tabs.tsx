import { Fragment } from "react";
import { CodeBlock } from "../ui/code-block";

interface CodeTabsProps {
  /** Identifies the group within its page. */
  name: string;
  /** The name of the choice, for screen readers: "Language". */
  legend: string;
  tabs: readonly { label: string; title: string; code: string }[];
}

const label =
  "cursor-pointer rounded-sm py-2.5 text-xs whitespace-nowrap text-muted transition hover:text-ink " +
  "[:checked+&]:font-medium [:checked+&]:text-copper-ink [:focus-visible+&]:outline-2 [:focus-visible+&]:outline-copper";

/** Code samples, one shown at a time. Radio buttons, so that arrow keys work and no script is needed. */
export function CodeTabs({ name, legend, tabs }: CodeTabsProps) {
  return (
    <fieldset className="relative min-w-0 overflow-hidden rounded border border-line bg-panel">
      <legend className="sr-only">{legend}</legend>
      {/* The copy button of the shown sample is beside the tabs, which are its title. */}
      <div
        className="flex flex-wrap gap-x-5 pr-24 pl-4 [&_figcaption]:absolute [&_figcaption]:top-0 [&_figcaption]:right-0
          [&_figcaption]:border-0 [&_figcaption>span:first-child]:sr-only"
      >
        {tabs.map((tab, index) => (
          <Fragment key={tab.label}>
            <input
              type="radio"
              id={`${name}-${index}`}
              name={name}
              defaultChecked={index === 0}
              // Firefox would restore the last visit's choice for the button, but not for the page.
              autoComplete="off"
              className="sr-only"
            />
            <label htmlFor={`${name}-${index}`} className={label}>
              {tab.label}
            </label>
            <div className="order-last -mr-24 -ml-4 hidden min-w-full grow border-t border-line [:checked+label+&]:block">
              <CodeBlock bare title={tab.title} copy={tab.code} />
            </div>
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}
