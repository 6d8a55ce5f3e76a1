import type { AgentBundle, BundleFile, BundleIssue, PromptSection } from '@amodal/sdk';
export interface Limits {
    readonly maxChars: number;
    readonly maxTotalChars: number;
}
/** The files that the model sees, in the order of their names' list, and those that are too long for it. */
export declare function chosen({ files }: AgentBundle, { maxChars, maxTotalChars }: Limits): {
    readonly files: readonly BundleFile[];
    readonly issues: readonly BundleIssue[];
};
/** One section, each file between marks that no heading of it can be mistaken for. */
export declare function sectionOf(files: readonly BundleFile[]): readonly PromptSection[];
