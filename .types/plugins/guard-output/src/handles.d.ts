import type { Withheld } from '@amodal/sdk';
/** Whether somebody with these roles may see a value all the same. */
export declare const mayHear: ({ roles }: Pick<Withheld, 'roles'>, own: readonly string[]) => boolean;
/** Handles give way to their values where the reader may see them, and to a mark where not. */
export declare function shown(text: string, withheld: readonly Withheld[], roles: readonly string[]): string;
