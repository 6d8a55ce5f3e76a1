import { defineError } from '@amodal/sdk'

export const BackupRefused = defineError({
  code: 'BACKUP_REFUSED',
  about: 'A file is no backup, is cut off, was changed, or has a format of a newer release.',
  fix: 'use another backup, or the release that made it; the database was not changed',
})

export const DatabaseNotEmpty = defineError({
  code: 'DATABASE_NOT_EMPTY',
  about: 'A backup was to be restored into a database that holds data.',
  fix: 'restore into an empty database, or run the same with --replace: what is there is deleted',
})

export const DatabaseInUse = defineError({
  code: 'DATABASE_IN_USE',
  about: 'A backup was to be restored while servers are connected to the database.',
  fix: 'stop the servers and workers that use this database, then run the same again',
})

export const FileExists = defineError({
  code: 'FILE_EXISTS',
  about: 'A command was to write a file that is there already.',
  fix: 'name another file, or run the same with --force',
})

export const opsErrors = [BackupRefused, DatabaseNotEmpty, DatabaseInUse, FileExists]
