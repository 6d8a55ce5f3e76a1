import { type AgentBundle } from '@amodal/sdk';
/**
 * Leaves out connections with a rule that could never be asked: it would be a protection that nobody has.
 *
 * @returns the bundle itself where all rules are in order
 */
export declare function withoutUnaskable(bundle: AgentBundle): AgentBundle;
