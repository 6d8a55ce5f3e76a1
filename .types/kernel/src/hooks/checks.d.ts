import type { AgentEvent } from '../events.ts';
import type { JournalEntry } from '../journal/entry.ts';
import { type AgentState, type StateKind } from '../loop/state.ts';
export declare function legalMove(from: StateKind, to: AgentState): string | undefined;
export declare function sameEvent(after: AgentEvent, before: AgentEvent): string | undefined;
export declare function sameIdentity(after: JournalEntry, before: JournalEntry): string | undefined;
