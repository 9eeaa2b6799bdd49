// Which process of a start has which roles. The API has a process of its own, so that nothing slow or hostile in a page reaches it. In live
// mode the jobs have one too: a hole in a page must not reach the signer's socket.

import type { Role } from "@/lib/base/config";

/** The first group is the process that was started; each other group is one of its children. */
export function divideRoles(roles: readonly Role[], mode: "sandbox" | "live"): [own: Role[], ...children: Role[][]] {
  const groups: Role[][] = [
    ["signer"],
    ["api"],
    ...(mode === "sandbox" ? [["pages", "jobs"] as Role[]] : [["pages"] as Role[], ["jobs"] as Role[]]),
  ];
  const [own = [], ...children] = groups.map((group) => group.filter((role) => roles.includes(role))).filter((group) => group.length > 0);
  return [own, ...children];
}
