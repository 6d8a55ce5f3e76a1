import { type HookTaps } from '@amodal/sdk';
import { type Veiling } from './veiled-stream.ts';
type Mask = (text: string) => string;
/** The value with every text in it masked; `undefined` where there is nothing to mask. */
export declare function masked<T extends object>(value: T, mask: Mask): T | undefined;
/**
 * No value of a secret gets further than the tool that was given it: not to the model, the journal or a client,
 * whoever echoes it. After all other taps, so that none of them brings one back.
 */
export declare function veil({ tool, journal, event, model }: HookTaps, secrets: Veiling): void;
export {};
