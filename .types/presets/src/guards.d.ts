import { type Entry } from '@amodal/sdk';
import type { Preset } from './define-preset.ts';
/** What stands between the agent and everything else, in every preset. */
export declare const guards: readonly Entry[];
/** No guard is lost in silence: taking one out needs `unsafe: true`, and one that does not tap its hook stops the boot. */
export declare const protection: Pick<Preset, 'pinned' | 'mustTap'>;
