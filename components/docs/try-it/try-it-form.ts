/** A request that a page of the reference can send for its reader. */
export interface TryItForm {
  method: string;
  /** `/api/v1/requests/{requestId}` */
  path: string;
  needsKey: boolean;
  /** A model answers, and its exact cost is charged. */
  isCharged: boolean;
  /** Indented JSON; null for a request without a body. */
  body: string | null;
  fields: readonly TryItField[];
}

export interface TryItField {
  name: string;
  place: "path" | "query";
  isRequired: boolean;
  /** The example, or empty. */
  value: string;
}
