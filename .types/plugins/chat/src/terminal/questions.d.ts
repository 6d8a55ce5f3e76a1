import type { AskedQuestion, Json } from '@amodal/sdk';
import type { Screen } from './screen.ts';
import type { ReadLine } from './talk.ts';
/**
 * Puts one question to the person until an answer fits; `undefined` where no line comes. An empty line leaves a field as it
 * is, where it has a default or is optional: then there is no answer to it.
 */
export declare function askQuestion({ text, type, options, default: preset, required }: Omit<AskedQuestion, 'id'>, screen: Screen, read: ReadLine): Promise<{
    readonly answer?: Json;
} | undefined>;
