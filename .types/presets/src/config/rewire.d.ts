import { type Kernel, type KernelOptions, type Result } from '@amodal/sdk';
import type { Folder, FolderError } from './start.ts';
/**
 * Lets a running agent follow the wiring in its manifest. Another preset needs another start: what it pins is not the same.
 *
 * @param started the folder as it was read for the start
 * @param now reads the folder as it is now
 * @param kernel once there is one
 * @returns the options to start the kernel with
 */
export declare function rewiring(started: Folder, now: () => Promise<Result<Folder, FolderError>>, kernel: () => Kernel | undefined): KernelOptions;
