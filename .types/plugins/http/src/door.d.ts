import { type Failure, type Identity, type Logger, type MountedRoute, type RefusalListener, type Result, type Slot } from '@amodal/sdk';
/** What is known of a request that does not stand in it. */
export interface Visit {
    /** Address of the client. */
    readonly from?: string | undefined;
    /** Who it is, where whoever embeds the routes has found that out. */
    readonly identity?: Identity | undefined;
}
export interface DoorOptions {
    /** What fills a slot in the wiring that serves. */
    readonly find: <T>(slot: Slot<T>) => T | undefined;
    readonly listeners: () => Iterable<RefusalListener>;
    /** Whoever gets here is let in while there is no key and no issuer of tokens to ask for. */
    readonly openToAll: boolean;
    readonly log: Logger;
}
type Admitted = Result<Identity | undefined, Failure>;
/** Asks each request who it is from, and whether that is good for its route, before anything of its body is read. */
export declare class Door {
    #private;
    constructor(options: DoorOptions);
    /** Who it is; `undefined` for a stranger at an open route. @param route `undefined`: there is nothing at that path */
    admit(request: Request, route: MountedRoute | undefined, visit: Visit): Promise<Admitted>;
}
export {};
