import { type Message } from '@amodal/sdk';
import type { PatternKind } from './finding.ts';
/**
 * Numbers that a person wrote in this conversation themselves. What a front end sends along, an event or a summary holds is
 * nobody's own, and who writes to a sub-agent is a model.
 */
export declare function isOwnNumber(kind: PatternKind, text: string, { messages, delegated }: {
    readonly messages?: readonly Message[];
    readonly delegated?: boolean;
}): boolean;
