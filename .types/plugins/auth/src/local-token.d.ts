import { type Identity } from '@amodal/sdk';
import type { Credential } from './credential.ts';
/**
 * The token of the server of a folder. It outlives a restart, so that a page that is open goes on. One that others could
 * read is not made private, since it is known: another one takes its place.
 *
 * @throws what the file system says where it can be neither read nor made
 */
export declare function localToken(dir: string): string;
/** Whoever has the token is everybody on this machine; whoever has not is that too, but decides nothing. */
export declare function locally(token: string): (credential: Credential) => Identity;
