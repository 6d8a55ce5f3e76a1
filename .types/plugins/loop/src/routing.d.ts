import { type Failure, type Manifest, type ModelCall, type ModelConfig, type Result } from '@amodal/sdk';
import type { LoopTurn } from './loop-turn.ts';
/** Where an attempt goes, and what is sent there: asked anew for each attempt, since another model may need other marks. */
export declare function routed(asked: ModelCall, turn: LoopTurn): Promise<Result<ModelCall, Failure>>;
/** The call with another configuration: settings that came of the old one come of the new one. */
export declare function withConfig(call: ModelCall, config: ModelConfig, limits: Manifest['limits']): ModelCall;
/** What the model's configuration leaves open is as the agent has it. */
export declare function settingsOf(config: ModelConfig, limits: Manifest['limits'], isAside?: boolean): ModelCall['settings'];
/** The agent's own settings are for what it says; summaries and reviews have theirs. */
export declare const limitsOf: ({ aside }: Pick<ModelCall, 'aside'>, { bundle }: LoopTurn) => Manifest['limits'];
