import { SETTINGS } from './limits.ts'
import type { Place } from './place.ts'

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store'] as const

/** Rights with which `setpriv`'s caller gives writable folders to the program's user. */
const OWNING = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER']

/** Bytes of what may be written, in memory. */
const ROOM = String(64 * 1_048_576)

/**
 * What bubblewrap is told: the system to read, the places a program is made of, an empty `/tmp`, no
 * other process and no right of its own. What is not named here is not there. Root would be root of
 * the kernel's settings in a namespace of users, too: it gets none, and keeps the rights with which
 * `setpriv` makes somebody else of it.
 *
 * @see https://github.com/containers/bubblewrap
 */
export function bubblewrap(
  { cwd, readable, writable = [] }: Place,
  network: boolean,
  asRoot: boolean,
): readonly string[] {
  return [
    ...(asRoot
      ? [
          '--unshare-pid',
          '--unshare-ipc',
          '--unshare-uts',
          '--unshare-cgroup-try',
          ...(network ? [] : ['--unshare-net']),
        ]
      : ['--unshare-all', ...(network ? ['--share-net'] : [])]),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    ...(asRoot
      ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP', ...(writable.length > 0 ? OWNING : [])].flatMap(
          (one) => ['--cap-add', one],
        )
      : []),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--perms',
    '1777',
    '--size',
    ROOM,
    '--tmpfs',
    '/dev/shm',
    '--perms',
    '1777',
    '--size',
    ROOM,
    '--tmpfs',
    '/tmp',
    '--dir',
    '/etc',
    '--dir',
    '/nix',
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...SETTINGS.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...foldersAbove(readable).flatMap((path) => ['--dir', path]),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...writable.flatMap(({ path, at }) => ['--bind', path, at]),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    cwd,
  ]
}

/**
 * The upper ones first. Named, they are folders that another user can get through; those that
 * bubblewrap makes by itself are not.
 */
const foldersAbove = (paths: readonly string[]): readonly string[] =>
  [
    ...new Set(
      paths.flatMap((path) =>
        path
          .split('/')
          .slice(1, -1)
          .map((_, index, parts) => `/${parts.slice(0, index + 1).join('/')}`),
      ),
    ),
  ].sort((a, b) => a.length - b.length)
