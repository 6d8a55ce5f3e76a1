import { limitCommands, SETTINGS, type ProgramLimits } from './limits.ts'
import type { Place } from './place.ts'

/** Programs that it takes, all of them parts of util-linux. */
export const NAMESPACE_PROGRAMS = ['unshare', 'setpriv', 'mount', 'umount', 'pivot_root'] as const

/**
 * What is shown of the machine: a root of its own that has the system's programs, the handler's own
 * files, and nothing that can be written but `/tmp`.
 */
const ROOM = `set -e
umask 022
PATH=/usr/sbin:/usr/bin:/sbin:/bin
show() {
  from=$1$3; to=$2$3
  if [ ! -e "$to" ]; then
    if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "\${to%/*}"; : > "$to"; fi
    mount --bind "$from" "$to"
    mount -o remount,bind,ro,nosuid,nodev "$to" 2> /dev/null || mount -o remount,bind,ro,nosuid,nodev,noexec "$to"
  fi
}
room=/tmp
mount -t tmpfs -o mode=0755,size=2m,nosuid,nodev none $room
mkdir $room/.old
for one in /bin /sbin /lib /lib32 /lib64 /libx32; do if [ -L "$one" ]; then ln -s "$(readlink "$one")" "$room$one"; fi; done
for one in /usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store; do if [ -d "$one" ]; then show "" $room "$one"; fi; done
pivot_root $room $room/.old
cd /
mkdir -p /proc /dev /tmp /etc
mount -t proc -o nosuid,nodev,noexec proc /proc 2> /dev/null || :
for one in null zero full random urandom; do : > "/dev/$one"; mount --bind "/.old/dev/$one" "/dev/$one"; done
ln -s /proc/self/fd /dev/fd; ln -s /proc/self/fd/0 /dev/stdin; ln -s /proc/self/fd/1 /dev/stdout; ln -s /proc/self/fd/2 /dev/stderr
mount -t tmpfs -o mode=1777,size=64m,nr_inodes=16k,nosuid,nodev none /tmp
ln -s /tmp /dev/shm
for one in ${SETTINGS.join(' ')}; do if [ -e "/.old/etc/$one" ] && [ ! -e "/etc/$one" ]; then cp -RH "/.old/etc/$one" "/etc/$one" 2> /dev/null || :; fi; done
while [ "$1" != -- ]; do show /.old "" "$1"; shift; done
shift
while [ "$1" != -- ]; do
  mkdir -p "$2"
  mount --bind "/.old$1" "$2"
  mount -o remount,bind,rw,nosuid,nodev "$2" 2> /dev/null || mount -o remount,bind,rw,nosuid,nodev,noexec "$2"
  if [ -n "$3" ]; then chown -Rh "$3:$3" "$2"; fi
  shift 3
done
shift
umount -l /.old
rmdir /.old
mount -o remount,bind,ro,nosuid,nodev /
cd "$1"; user=$2; kb=$3; shift 3
`

interface Room {
  readonly network: boolean
  /** Number of a user; `undefined` where the server is not root. */
  readonly user: number | undefined
  /** Of data, in KB; `none` is no limit. */
  readonly kb: string
  readonly limits: ProgramLimits
  readonly find: (name: string) => string
}

/**
 * What `unshare` is told: namespaces for files, processes, the network, messages, names and control
 * groups, and inside of them a shell that puts the room together and then only waits. It is the
 * first process there: when it ends, all do, and what runs in it can neither end it nor outlive it.
 * As root, what runs is another user; otherwise it is the server's own, who is nobody else there.
 *
 * @see https://man7.org/linux/man-pages/man7/namespaces.7.html
 */
export function namespaces(
  { cwd, readable, writable = [] }: Place,
  { network, user, kb, limits, find }: Room,
  argv: readonly string[],
): readonly string[] {
  // A group, so that what lasts is the shell: it is the first process of the room.
  const who = user === undefined ? '' : '--reuid "$user" --regid "$user" --clear-groups '
  const run = `(setpriv=$(command -v setpriv); ${limitCommands(limits)} unset PATH; exec "$setpriv" ${who}--no-new-privs --bounding-set=-all --inh-caps=-all --pdeathsig KILL "$@") || exit $?`
  return [
    find('setpriv'),
    '--pdeathsig',
    'KILL',
    ...(user === undefined ? ['--no-new-privs'] : []),
    find('unshare'),
    ...(user === undefined ? ['--user', '--map-root-user'] : []),
    ...(network ? [] : ['--net']),
    '--mount',
    '--pid',
    '--ipc',
    '--uts',
    '--cgroup',
    '--fork',
    '--kill-child=KILL',
    '/bin/sh',
    '-c',
    `${ROOM}${run}`,
    'sh',
    ...readable,
    '--',
    ...writable.flatMap(({ path, at }) => [path, at, user === undefined ? '' : String(user)]),
    '--',
    cwd,
    user === undefined ? '' : String(user),
    kb,
    ...argv,
  ]
}
