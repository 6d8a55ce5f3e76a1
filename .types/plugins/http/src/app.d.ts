import { type Logger, type MountedRoute, type Tenancy } from '@amodal/sdk';
import type { Door, Visit } from './door.ts';
export interface AppOptions {
    readonly maxBodyBytes: number;
    readonly answerTimeoutMs: number;
    readonly door: Door;
    readonly tenancy: () => Tenancy | undefined;
    readonly log: Logger;
}
/** One generation's routes behind one function. Never rejects. */
export type App = (request: Request, visit: Visit) => Promise<Response>;
/** @param routes the longest prefix first */
export declare function createApp(routes: readonly MountedRoute[], options: AppOptions): App;
