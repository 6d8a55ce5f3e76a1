import type { ModelServer } from '../model-server.ts';
import type { Door } from './door.ts';
/** What every preset's agent does, whichever door one comes through. */
export declare function behaviour(through: string, stage: () => {
    readonly door: Door;
    readonly model: ModelServer;
}): void;
