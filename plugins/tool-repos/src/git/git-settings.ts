/** Tags of published versions. Only the server creates them, and nobody changes them. */
export const PROTECTED_TAGS = 'refs/tags/tools'
/** Refs of the server itself: no client sees or changes them. */
export const INTERNAL_REFS = 'refs/amodal'

/**
 * Settings of every git process. They are given on the command line, which takes precedence over
 * the `config` of the repository; that of the system and of a user is not read.
 */
const ALWAYS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.fsmonitor=false',
  'core.bigFileThreshold=16m',
  'core.deltaBaseCacheLimit=32m',
  'core.fsync=committed,reference',
  'gc.auto=0',
  'gc.autoDetach=false',
  'maintenance.auto=false',
  'pack.threads=1',
  'pack.windowMemory=64m',
  'protocol.allow=never',
  'submodule.recurse=false',
  'transfer.fsckObjects=true',
  'receive.fsckObjects=true',
  'receive.autogc=false',
  // Each push is one pack: objects of a push are never unpacked to files of their own.
  'receive.unpackLimit=1',
  'receive.advertisePushOptions=false',
  // A push that updates or deletes a hidden ref is refused; the last line that matches decides.
  'receive.hideRefs=refs',
  'receive.hideRefs=!refs/heads',
  'receive.hideRefs=!refs/tags',
  `receive.hideRefs=${PROTECTED_TAGS}`,
  `uploadpack.hideRefs=${INTERNAL_REFS}`,
  'uploadpack.allowFilter=true',
  'uploadpackfilter.allow=false',
  'uploadpackfilter.blob:none.allow=true',
  'uploadpackfilter.blob:limit.allow=true',
  'uploadpackfilter.tree.allow=true',
  'uploadpackfilter.tree.maxDepth=16',
]

export const settingArguments = (folder: string): readonly string[] =>
  [...ALWAYS, `safe.directory=${folder}`].flatMap((setting) => ['-c', setting])

/** Nothing of the server's own environment reaches git, except where programs are. */
export const environment = (path: string): Readonly<Record<string, string>> => ({
  PATH: path,
  LANG: 'C.UTF-8',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
})
