// The server actions that the components of this folder call.

import type { Answer } from "@/lib/console/views/answer";

interface EndpointInput {
  endpointId: string;
}

export interface NewEndpointInput {
  kind: "webhook" | "chat" | "email";
  /** Empty: none. */
  name: string;
  target: string;
  /** Null: all events. */
  types: readonly string[] | null;
}

export interface EndpointActions {
  addEndpoint: (input: NewEndpointInput) => Promise<Answer<{ secret: string | null }>>;
  renewSecret: (input: EndpointInput) => Promise<Answer<{ secret: string }>>;
  /** Sends an address another confirmation. */
  requestConfirmation: (input: EndpointInput) => Promise<Answer>;
  renameEndpoint: (input: EndpointInput & { name: string }) => Promise<Answer>;
  chooseEvents: (input: EndpointInput & { types: readonly string[] | null }) => Promise<Answer>;
  switchOn: (input: EndpointInput) => Promise<Answer>;
  switchOff: (input: EndpointInput) => Promise<Answer>;
  removeEndpoint: (input: EndpointInput) => Promise<Answer>;
  sendSample: (input: EndpointInput & { type: string }) => Promise<Answer>;
  resendFailed: (input: EndpointInput & { hours: number }) => Promise<Answer<{ count: number }>>;
}
