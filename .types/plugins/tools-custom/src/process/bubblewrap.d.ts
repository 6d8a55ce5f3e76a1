import type { Place } from './launcher.ts';
/**
 * What bubblewrap is told: the system to read, the places a program is made of, an empty `/tmp`, no other process and
 * no right of its own. What is not named here is not there. Root would be root of the kernel's settings in a namespace of users, too: it
 * gets none, and keeps the rights with which `setpriv` makes somebody else of it.
 *
 * @see https://github.com/containers/bubblewrap
 */
export declare function bubblewrap({ cwd, readable }: Place, network: boolean, asRoot: boolean): readonly string[];
