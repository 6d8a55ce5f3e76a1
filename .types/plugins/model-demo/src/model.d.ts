import type { LanguageModel } from '@amodal/sdk';
export declare const DEMO_MODEL = "words";
/**
 * A language model without any intelligence: it matches the words of a message against tools and
 * texts. It needs no key and no network, and says the same for the same prompt.
 *
 * @param notice one line, said at the beginning of each session
 */
export declare function createDemoModel(notice: string): LanguageModel;
