import type { AgentInstructions, BundleFile } from '@amodal/sdk';
import { Issues } from '@amodal/sdk/files';
export declare const isInstructions: (path: string) => boolean;
/** What the instructions say that the agent may not do, and nothing keeps. */
export declare function refuseUnreadInstructions(files: readonly BundleFile[], issues: Issues): void;
/** Reads the agent's own instructions: the text as it stands, without its frontmatter. */
export declare function readInstructions(files: readonly BundleFile[], issues: Issues): AgentInstructions | undefined;
