import { type Failure } from '@amodal/sdk';
/** `true` for names and addresses that only this machine can be reached by. */
export declare const isLoopback: (name: string) => boolean;
/**
 * Refuses requests that a foreign page makes in somebody's browser: by `Origin`, and by `Host`, which is a foreign
 * name where a page reaches loopback through a name server of its own (DNS rebinding).
 *
 * @param loopbackOnly only loopback names are ours; `false` where the server is bound to other addresses
 */
export declare function foreign(host: string | undefined, origin: string | undefined, loopbackOnly: boolean): Failure | undefined;
