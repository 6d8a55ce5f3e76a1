import { type ModelCall, type ModelSource, type Outgoing, type RunContext, type Secrets } from '@amodal/sdk';
import type { CassetteSettings } from './settings.ts';
/** Opens recordings in the place of models, and models with a recorder around them. */
export declare class Cassette {
    #private;
    constructor(settings: CassetteSettings, secrets: Secrets, outgoing: Outgoing | undefined);
    open(source: ModelSource, call: ModelCall, ctx: RunContext): Promise<ModelSource>;
}
