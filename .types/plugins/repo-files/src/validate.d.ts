import { type Command, type Generation, type Secrets } from '@amodal/sdk';
import { type LoadOptions } from './load.ts';
/**
 * `amodal validate`: every problem of the folder in one go, those that other plugins find among them, and whether what the
 * agent reaches outside answers; exit code 1 where one of them is an error.
 */
export declare function validateCommand(secrets: Secrets, options: Omit<LoadOptions, 'secrets' | 'signal'>, generation: () => Generation): Command;
