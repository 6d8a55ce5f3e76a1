import { defineError } from '@amodal/sdk'

export const PathRefused = defineError({
  code: 'ADMIN_PATH_REFUSED',
  status: 400,
  about: 'A path does not belong to the files that the admin agent works on.',
  fix: 'name a file below skills/, knowledge/, connections/ or another folder of the agent',
})

export const FileNotFound = defineError({
  code: 'ADMIN_FILE_NOT_FOUND',
  status: 404,
  about: 'There is no such file in the agent folder.',
  fix: 'list the files first, and use a path from the list',
})

export const EditRefused = defineError({
  code: 'ADMIN_EDIT_REFUSED',
  status: 409,
  about: 'An edit does not fit the file as it is now.',
  fix: 'read the file, and repeat the edit with text that stands in it once',
})

export const ChangeConflict = defineError({
  code: 'ADMIN_CHANGE_CONFLICT',
  status: 409,
  about: 'Files have changed on the disk since the change was proposed or applied.',
  fix: 'discard the change and propose it again, or edit the file by hand',
})

export const ChangeBroken = defineError({
  code: 'ADMIN_CHANGE_BROKEN',
  status: 422,
  about: 'The agent would not load with the change, so nothing was written.',
  fix: 'correct what the message names, or accept other files of the change only',
})

export const ChangeNotFound = defineError({
  code: 'ADMIN_CHANGE_NOT_FOUND',
  status: 404,
  about: 'There is no such proposed or applied change.',
  fix: 'list the changes first',
})

export const AdminNotLocal = defineError({
  code: 'ADMIN_NOT_LOCAL',
  status: 403,
  about: 'The files of the agent are changed from the machine alone that it runs on.',
  fix: 'open the server on 127.0.0.1, as amodal dev does',
})
