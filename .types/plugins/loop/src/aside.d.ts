import { type AsideRequest, type Failure, type ModelResult, type Result } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/**
 * Asks a model something beside the conversation: no tools, and nobody is told. The same taps see the call as see every
 * other, so that what may not leave does not, and a model that fails has the same others behind it.
 */
export declare function aside({ tier, system, text, maxOutputTokens }: AsideRequest, turn: LoopTurn): Promise<Result<ModelResult, Failure>>;
