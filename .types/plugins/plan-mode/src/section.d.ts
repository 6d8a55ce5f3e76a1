import type { PromptSection } from '@amodal/sdk';
/** What the model is told last: that it plans, or which plan it carries out. Nothing where neither is so. */
export declare function planSection(planning: boolean, plan: string | undefined): PromptSection | undefined;
