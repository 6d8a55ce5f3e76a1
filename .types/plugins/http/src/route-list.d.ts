import type { MountedRoute, RouteTable } from '@amodal/sdk';
/** What plugins mounted in one generation. */
export declare class RouteList implements RouteTable {
    #private;
    /** Prefixes that two plugins mounted; the first one has it. */
    readonly clashes: string[];
    /** @param mounting the plugin that mounts now */
    constructor(mounting: () => string);
    mount(prefix: string, handler: MountedRoute['handler'], options?: MountedRoute['options']): void;
    /** The longest prefix first, so that the first that matches is the right one. */
    sorted(): readonly MountedRoute[];
}
