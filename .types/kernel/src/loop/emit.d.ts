import type { AgentEvent } from '../events.ts';
import type { Generation } from '../generation.ts';
import type { TurnContext } from './context.ts';
/** Events after their last rewrite, live and on a replay. One that fails is withheld, but `done` always gets out. */
export declare function emitted(hooks: Generation['hooks'], events: readonly AgentEvent[], ctx: TurnContext): readonly AgentEvent[];
