import { type Failure, type Result } from '@amodal/kernel';
import type { CommandContext, CommandOption } from '@amodal/sdk';
type Options = Readonly<Record<string, CommandOption>>;
type Env = Readonly<Record<string, string | undefined>>;
/** Options every command understands. */
export declare const GLOBAL: Options;
/** What stands on a command line. */
export interface Arguments {
    readonly options: CommandContext['options'];
    /** What is no option: without the command itself. */
    readonly words: readonly string[];
    readonly dir: string;
    readonly port?: number;
    readonly host?: string;
    readonly preset?: string;
    /** Asked for with -v or -q. */
    readonly level?: 'error' | 'debug' | 'trace';
    readonly help: boolean;
}
/** Where to look for commands; what is wrong with the rest is told once the command is known. */
export interface Place {
    readonly words: readonly string[];
    readonly dir: string;
    readonly preset?: string;
}
export declare function readPlace(argv: readonly string[]): Place;
/**
 * Reads the options of a command and those of every command.
 *
 * @param skip words that name the command
 * @returns `VALIDATION_ERROR` for an option that does not exist, or a value that does not fit
 */
export declare function readArguments(argv: readonly string[], options: Options, skip: number, env: Env): Result<Arguments, Failure>;
export {};
