import { type LanguageModel } from '@amodal/sdk';
import type { CassetteSettings } from './settings.ts';
import { type Line } from './tape.ts';
/** A model that says what another one has said, part by part. */
export declare function playing(take: readonly Line[], { provider, model }: {
    readonly provider: string;
    readonly model: string;
}, pace: CassetteSettings['pace']): LanguageModel;
