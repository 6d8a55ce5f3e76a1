import type { Place } from './launcher.ts'
import { SETTINGS } from './limits.ts'

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'] as const

/** Bytes of what may be written, in memory. */
const ROOM = String(64 * 1_048_576)

/**
 * What bubblewrap is told: the system to read, the places a program is made of, an empty `/tmp`, no other process and
 * no right of its own. What is not named here is not there.
 *
 * @see https://github.com/containers/bubblewrap
 */
export function bubblewrap({ cwd, readable }: Place, network: boolean): readonly string[] {
  return [
    '--unshare-all', ...(network ? ['--share-net'] : []), '--die-with-parent', '--new-session', '--cap-drop', 'ALL',
    '--proc', '/proc', '--dev', '/dev', '--size', ROOM, '--tmpfs', '/dev/shm', '--size', ROOM, '--tmpfs', '/tmp',
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    '--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd,
  ]
}
