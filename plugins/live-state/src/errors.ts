import { defineError } from '@amodal/sdk'

export const StateConflict = defineError({
  code: 'STATE_CONFLICT',
  status: 412,
  about: 'The state has changed since the version that the writer has seen; nothing was changed.',
  fix: 'read the state again, and write with its version',
})

export const StateRefused = defineError({
  code: 'STATE_REFUSED',
  status: 400,
  about:
    'A change of the state names a property that is not there or not open for it, or a value that does not fit.',
  fix: 'see the declaration in `state` of amodal.json',
})

export const VersionRequired = defineError({
  code: 'STATE_VERSION_REQUIRED',
  status: 428,
  about: 'A write to the state says not which version it is meant for.',
  fix: 'send the version that you have read as `If-Match`, or `*` for any',
})
