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

/** What one program may use. */
export interface ProgramLimits {
  /** Processes and threads at a time. */
  readonly processes: number
  /** Bytes of one file. */
  readonly fileBytes: number
}

/** Those of a handler. */
export const HANDLER_LIMITS: ProgramLimits = { processes: 128, fileBytes: 64 * 1_048_576 }

/** Shell commands that set the limits of the process which executes them. */
export const limitCommands = ({ processes, fileBytes }: ProgramLimits): string =>
  // `ulimit -f` counts blocks of 512 bytes.
  `{ ulimit -p ${processes} || ulimit -u ${processes}; } 2> /dev/null; ulimit -n 1024 2> /dev/null || :; ulimit -f ${Math.ceil(fileBytes / 512)} 2> /dev/null || :; ${DATA_LIMIT}`
