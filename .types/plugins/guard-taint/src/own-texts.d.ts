import { type AgentBundle } from '@amodal/sdk';
import { Corpus } from './corpus.ts';
/**
 * The agent's own files: what its author wrote for the model to go by. Amounts count where they stand in prose; those of
 * settings and API documents are limits and samples.
 */
export declare function ownTexts(bundle: AgentBundle): Corpus;
