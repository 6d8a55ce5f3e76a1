import type { Place } from './launcher.ts';
/** Programs that it takes, all of them parts of util-linux. */
export declare const NAMESPACE_PROGRAMS: readonly ['unshare', 'setpriv', 'mount', 'umount', 'pivot_root'];
interface Room {
    readonly network: boolean;
    /** Number of a user; `undefined` where the server is not root. */
    readonly user: number | undefined;
    /** Of data, in KB; `none` is no limit. */
    readonly kb: string;
    readonly find: (name: string) => string;
}
/**
 * What `unshare` is told: namespaces for files, processes, the network, messages, names and control groups, and inside of them a
 * shell that puts the room together and then only waits. It is the first process there: when it ends, all do, and
 * what runs in it can neither end it nor outlive it. As root, what runs is another user; otherwise it is the server's own, who is nobody else there.
 *
 * @see https://man7.org/linux/man-pages/man7/namespaces.7.html
 */
export declare function namespaces({ cwd, readable }: Place, { network, user, kb, find }: Room, argv: readonly string[]): readonly string[];
export {};
