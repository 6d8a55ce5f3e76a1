import type { PromptDraft } from '../ports/prompt.ts';
/**
 * Puts the name of the plugin whose tap it was on each section that it has added, and on each that it has changed: a tap cannot
 * speak for another plugin, nor leave out who it is. The same draft, where it says that already.
 */
export declare function attributed(after: PromptDraft, plugin: string, before: PromptDraft): PromptDraft;
