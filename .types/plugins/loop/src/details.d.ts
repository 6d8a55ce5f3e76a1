import { type AgentEvent, type ModelCall, type ModelResult, type WireReply } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** Sends an event that is made only where some reader has asked for all events. */
export declare function tellDetail(turn: LoopTurn, make: () => AgentEvent): void;
/** A reply after all taps that withhold something of it. */
export declare function wireReply({ config: { provider, model } }: ModelCall, { text, reasoning, calls, finish, usage }: ModelResult): WireReply;
