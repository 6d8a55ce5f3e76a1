import { defineError } from '@amodal/sdk'

export const ArchiveFailed = defineError({
  code: 'ARCHIVE_FAILED',
  about: 'The history of a session that expires cannot be archived, so it is kept in the database.',
  fix: 'look at the folder of session-archive: its rights, and the space left on its disk; it is tried again by itself',
})
