import { type AgentBundle, type BundleIssue, type Generation } from '@amodal/sdk';
/** Names of tools that nothing has; tools of servers that have not answered yet are not known here, so that it is a warning. */
export declare function addToolIssues(bundle: AgentBundle, generation: Generation, issues: BundleIssue[]): void;
