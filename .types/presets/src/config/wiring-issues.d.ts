import { type BundleIssue } from '@amodal/sdk';
import type { FolderError } from './start.ts';
/** What is wrong with the wiring of a folder, for whoever lists problems. A file that cannot be read has none. */
export declare function wiringIssues(problem: FolderError | undefined): readonly BundleIssue[];
