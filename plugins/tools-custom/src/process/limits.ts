/** Names, certificates and how to resolve; not what else is configured on the machine. */
export const SETTINGS = [
  'resolv.conf',
  'hosts',
  'nsswitch.conf',
  'host.conf',
  'gai.conf',
  'ssl',
  'pki',
  'ca-certificates',
  'localtime',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'passwd',
  'group',
] as const

/**
 * Lowers limits that can only be lowered, and leaves nothing of the shell in the environment. `$kb`
 * is the most of data, or `none`.
 */
export const DATA_LIMIT =
  'ulimit -c 0; most=$(ulimit -H -d); if [ "$kb" != none ] && { [ "$most" = unlimited ] || [ "$most" -gt "$kb" ]; }; then ulimit -d "$kb"; fi; unset PWD OLDPWD SHLVL kb most;'

/** Processes and threads of one handler, open files, and blocks of 512 bytes in one file. */
export const LIMITS = `{ ulimit -p 128 || ulimit -u 128; } 2> /dev/null; ulimit -n 1024 2> /dev/null || :; ulimit -f 131072 2> /dev/null || :; ${DATA_LIMIT}`
