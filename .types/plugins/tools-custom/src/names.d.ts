import { type AgentBundle, type BundleIssue, type Generation } from '@amodal/sdk';
import { type CustomTool } from './custom-tool.ts';
/** Tools whose names nobody else has: a name that is taken would take the whole agent down. */
export declare function ownNames(bundle: AgentBundle, generation: Generation): readonly CustomTool[];
/** Names that are taken, and names of tools and connections that nothing has. */
export declare function addNameIssues(bundle: AgentBundle, generation: Generation, issues: BundleIssue[]): void;
