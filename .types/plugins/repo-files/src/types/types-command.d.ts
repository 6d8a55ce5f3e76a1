import type { Command } from '@amodal/sdk';
/** `amodal build-manifest-types`: the agent's stores, tools and names as TypeScript. */
export declare const typesCommand: Command;
