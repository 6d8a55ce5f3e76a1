import { type Agent, type Generation, type JsonObject } from '@amodal/sdk';
/** What the agent is made with, for somebody with these roles: names, and whether what they need is there. Never a value of a credential. */
export declare function configReport(agent: Agent, generation: Generation, roles: readonly string[], uptimeMs: number): JsonObject;
