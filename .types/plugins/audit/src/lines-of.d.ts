import { type AuditDraft, type Json, type JournalEntry, type LaneRef, type TurnContext } from '@amodal/sdk';
/** All lines of a journal entry: its own, and those of the changes of knowledge that it settles. */
export declare function draftsOf(entry: JournalEntry, place: Place): readonly AuditDraft[];
type Place = LaneRef & Partial<Pick<TurnContext, 'principal'>>;
/** Arguments as they may be kept: nothing under a secret's name, and nothing without end. */
export declare function shown(value: Json, levels?: number): Json;
export {};
