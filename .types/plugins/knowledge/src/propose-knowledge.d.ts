import { type AgentEvent, type CallId, type JsonObject, type ToolDefinition } from '@amodal/sdk';
import { type Shelf } from './shelf.ts';
export declare const PROPOSE_KNOWLEDGE = "propose_knowledge";
/** A change of what the agent knows, for a person to approve: it is asked as every approval is. */
export declare function proposeKnowledge(shelf: Shelf): ToolDefinition;
/** What clients are told of a proposal; the call's id is its own. */
export declare function proposal(id: CallId, { scope }: Pick<Shelf, 'scope'>, { title, reasoning }: JsonObject, status: 'pending' | 'approved' | 'rejected'): Extract<AgentEvent, {
    type: 'kb_proposal';
}>;
