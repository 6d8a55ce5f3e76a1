import type { Command } from '@amodal/sdk';
/** What `amodal` says without a command. */
export declare function overview(commands: ReadonlyMap<string, Command>, program: string): string;
export declare function commandHelp(name: string, { about, examples, options, summary, usage }: Command, program: string): string;
