import type { Message } from '@amodal/sdk';
import { type Snapshot } from './snapshot.ts';
/** What can be told of messages without a model: what the assistant said and what it did. */
export declare function digest(messages: readonly Message[]): Snapshot;
/** What people asked for, in their own words. */
export declare function requestsIn(messages: readonly Message[]): readonly string[];
