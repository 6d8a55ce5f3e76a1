import { type Generation } from '@amodal/sdk';
import type { Shelf } from './shelf.ts';
/** `knowledge/` of the agent's own folder: the documents are files like those that people write, and the next turn has them. */
export declare function folderShelf(generation: () => Generation): Shelf;
