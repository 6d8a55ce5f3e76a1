import type { AgentBundle, BundleFile } from '@amodal/sdk';
import type { Issues } from '@amodal/sdk/files';
import type { Language } from './custom-tool.ts';
/** Files that should make up one tool. */
export interface Candidate {
    /** Of its folder or file. */
    readonly name: string;
    readonly folder?: string;
    readonly definition?: BundleFile;
    readonly code?: {
        readonly file: BundleFile;
        readonly language: Language;
    };
    /** All of its text files. */
    readonly files: readonly BundleFile[];
}
export interface Candidates {
    readonly found: readonly Candidate[];
    /** What begins with `_` in `tools/` is no tool, and code that all of them may import. */
    readonly shared: readonly BundleFile[];
}
/** What could be a tool among the files of the agent: folders of `tools/`, and single files there. */
export declare function candidatesIn({ files }: AgentBundle, issues: Issues): Candidates;
/** The code in the language that a definition asks for. */
export declare function codeIn({ folder, files, code }: Candidate, language: Language | undefined): Candidate['code'];
