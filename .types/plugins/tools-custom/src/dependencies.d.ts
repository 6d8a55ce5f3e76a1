import { type Issues } from '@amodal/sdk/files';
import type { Candidate } from './candidates.ts';
import type { Language } from './custom-tool.ts';
/** Packages that handlers get from us. */
export declare const PROVIDED: readonly string[];
/** Whether the packages a tool names are installed. Nothing is installed here: that is for a person to do. */
export declare function dependenciesAreThere(root: string, { folder, files }: Candidate, language: Language, issues: Issues): Promise<boolean>;
