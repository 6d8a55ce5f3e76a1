import { defineError } from '@amodal/sdk'

export const WorkspacePathRefused = defineError({
  code: 'WORKSPACE_PATH_REFUSED',
  status: 422,
  about:
    'A path leads out of the workspace, passes through a link, or names something that is neither a file nor a folder.',
  fix: 'use the path of a file below the workspace, without `..` and without links',
})

export const WorkspaceFileMissing = defineError({
  code: 'WORKSPACE_FILE_MISSING',
  status: 404,
  about: 'The workspace has no file or folder at this path.',
  fix: 'list the folder, and use a path that is in the list',
})

export const WorkspaceFileRefused = defineError({
  code: 'WORKSPACE_FILE_REFUSED',
  status: 409,
  about:
    'A file of the workspace cannot be changed or read this way: it is a folder, is too large, exists already, or its folder is not empty.',
  fix: 'list the folder, and choose the operation or the path that fits',
})

export const WorkspaceStorageFailed = defineError({
  code: 'WORKSPACE_STORAGE_FAILED',
  status: 503,
  about: 'The disk that has the workspaces cannot be used.',
  fix: 'check the rights of the data folder and the space that is free on its disk',
})

export const WorkspaceSnapshotMissing = defineError({
  code: 'WORKSPACE_SNAPSHOT_MISSING',
  status: 404,
  about: 'There is no such snapshot of the workspace, or it was removed since it is old.',
  fix: 'list the workspace of the session, and use a run or snapshot that is in the list',
})

export const WorkspaceSourceMissing = defineError({
  code: 'WORKSPACE_SOURCE_MISSING',
  status: 500,
  about: 'The folder that new workspaces are copied from cannot be found or copied.',
  fix: 'name a folder of the agent as `workspace.source` in amodal.json, or write "empty"',
})

export const WorkspaceFull = defineError({
  code: 'WORKSPACE_FULL',
  status: 413,
  about: 'A workspace has more bytes or more files than its quota allows.',
  fix: 'remove files of the workspace, or raise `workspace.quota` in amodal.json',
})

export const WorkspaceEditRefused = defineError({
  code: 'WORKSPACE_EDIT_REFUSED',
  status: 409,
  about:
    'A change does not fit the file: the text to replace is missing or is there several times, a patch does not apply, or the file has changed since it was read.',
  fix: 'read the file, and repeat the change with its present text',
})

export const WorkspaceShellUnavailable = defineError({
  code: 'WORKSPACE_SHELL_UNAVAILABLE',
  status: 503,
  about:
    'Commands cannot be run in workspaces: no shell of the level that amodal.json asks for is installed, or its isolation could not be proved on this machine.',
  fix: 'install a shell of that level, name another one as `workspace.bash` in amodal.json, or write false',
})
