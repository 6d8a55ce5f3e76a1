import { type BundleFile, type KnowledgeDocument } from '@amodal/sdk';
import type { Issues } from '@amodal/sdk/files';
export declare const isKnowledge: (path: string) => boolean;
/** Reads every markdown file below `knowledge/`: the path gives the name, the first heading the title. */
export declare function readKnowledge(files: readonly BundleFile[], issues: Issues): readonly KnowledgeDocument[];
