import Link from "next/link";
import { FoldSummary } from "../ui/fold-summary";
import { type DocsPath, docsGroups, docsPages } from "./docs-pages";

export interface NavPlace {
  href: string;
  text: string;
}

interface DocsNavProps {
  /** The page of the navigation that is marked. */
  path: DocsPath;
  /** Named on the phone's menu. */
  here: NavPlace;
  /** Pages below the marked one. */
  below: readonly NavPlace[];
}

/** The pages of the docs by group: a column on a desktop, a menu on a phone. It needs no script. */
export function DocsNav({ path, here, below }: DocsNavProps) {
  return (
    <>
      <nav aria-label="Docs" className="sticky top-6 max-h-[calc(100dvh-48px)] self-start overflow-y-auto pt-14 pb-4 text-sm max-lg:hidden">
        <Groups path={path} here={here} below={below} />
      </nav>
      {/* Keyed by its page: a menu that stays open would cover the page that it led to. */}
      <details key={here.href} className="border-b border-line text-sm lg:hidden">
        <FoldSummary className="py-2.5">
          <span className="min-w-0 break-words">
            <span className="text-muted">Docs: </span>
            <span className="font-medium">{here.text}</span>
          </span>
        </FoldSummary>
        <nav aria-label="Docs menu" className="pb-4 pl-4">
          <Groups path={path} here={here} below={below} />
        </nav>
      </details>
    </>
  );
}

const Groups = ({ path, here, below }: DocsNavProps) =>
  docsGroups.map((group) => (
    <div key={group} className="mb-5 last:mb-0">
      <p className="mb-1 text-xs font-medium">{group}</p>
      <ul>
        {docsPages
          .filter((page) => page.group === group)
          .map((page) => (
            <li key={page.path}>
              <NavLink
                place={{ href: page.path, text: page.title }}
                mark={page.path !== path ? undefined : here.href === path ? "page" : "true"}
              />
              {page.path === path && below.length > 0 ? (
                <ul className="my-1 border-l border-line pl-3">
                  {below.map((place) => (
                    <li key={place.href}>
                      <NavLink place={place} mark={place.href === here.href ? "page" : undefined} />
                    </li>
                  ))}
                </ul>
              ) : null}
            </li>
          ))}
      </ul>
    </div>
  ));

const NavLink = ({ place: { href, text }, mark }: { place: NavPlace; mark: "page" | "true" | undefined }) => (
  <Link
    href={href}
    aria-current={mark}
    className="block py-1 text-muted transition hover:text-ink aria-[current]:font-medium aria-[current]:text-copper-ink max-lg:py-2.5"
  >
    {text}
  </Link>
);
