import type { Place } from './launcher.ts'
import { SETTINGS } from './limits.ts'

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'] as const

/**
 * What bubblewrap is told: the system to read, the places a program is made of, an empty `/tmp`, no other process and
 * no right of its own. What is not named here is not there.
 *
 * @see https://github.com/containers/bubblewrap
 */
export function bubblewrap({ cwd, readable }: Place, network: boolean): readonly string[] {
  return [
    '--unshare-all', ...(network ? ['--share-net'] : []), '--die-with-parent', '--new-session', '--cap-drop', 'ALL',
    '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp',
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    '--chdir', cwd,
  ]
}
