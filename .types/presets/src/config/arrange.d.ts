import { type Entry } from '@amodal/sdk';
import type { FolderOptions } from './start.ts';
/** Puts a list into the place it runs in: the agent's folder, the environment, what the command line says. */
export declare function arrange(list: readonly Entry[], options: FolderOptions): Promise<readonly Entry[]>;
