import { type Audience, type Failure, type Logger, type Result, type StreamSource, type TenantId } from '@amodal/sdk';
import type { Told } from './event.ts';
import type { View } from './view.ts';
export interface BusOptions {
    /** Events of one tenant that are kept. */
    readonly buffer: number;
    readonly heartbeatMs: number;
    /** ms after which a stream ends. */
    readonly streamMs: number;
    /** Streams at once. */
    readonly subscribers: number;
}
/** Takes what happens, and tells everybody who may know: each event becomes text once, and each write holds all that there is. */
export declare class Bus {
    #private;
    constructor(options: BusOptions, log: Logger);
    /** Called where the first subscriber comes, and where the last one goes. */
    onAudience(heard: (anybody: boolean) => void): void;
    /** @param at ms since the epoch */
    publish(event: Told, { tenant, owner }: Audience, at: number): void;
    /**
     * A stream of what a tenant's subscriber may know.
     *
     * @param from place of the last event that it has; left out: what happens from now on
     * @returns `RATE_LIMITED` where there are as many streams as there may be, and no other tenant has more of them
     */
    subscribe(tenant: TenantId, view: View, from: number | undefined): Result<StreamSource, Failure>;
    /** Ends every stream. */
    close(): void;
}
