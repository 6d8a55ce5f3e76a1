import { type Command } from '@amodal/sdk';
import { type CheckpointPlaces } from './checkpoint-set.ts';
/** Where this agent keeps its checkpoints. */
export type OwnPlaces = Omit<CheckpointPlaces, 'given' | 'key'>;
/** `amodal ops audit [show | verify | export]`. */
export declare const auditCommand: (places: OwnPlaces, now: () => number) => Command;
