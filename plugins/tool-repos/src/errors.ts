import { defineError } from '@amodal/sdk'

export const RepoBranchNotFound = defineError({
  code: 'REPO_BRANCH_NOT_FOUND',
  about: 'The tool repository has no branch of this name.',
  status: 404,
  fix: 'push the branch, or name one that is there',
})

export const RepoCommitNotFound = defineError({
  code: 'REPO_COMMIT_NOT_FOUND',
  about: 'The tool repository has no commit with this id.',
  status: 404,
  fix: 'push the commit, or name one that is there',
})

export const RepoFolderNotFound = defineError({
  code: 'REPO_FOLDER_NOT_FOUND',
  about: 'A commit of the tool repository has no folder of this name.',
  status: 404,
  fix: 'add the folder, commit and push',
})

export const RepoContentRefused = defineError({
  code: 'REPO_CONTENT_REFUSED',
  about: 'A folder of the tool repository holds a link, a submodule, a path or a size not allowed.',
  status: 422,
  fix: 'remove what the message names, commit and push',
})

export const RepoTagTaken = defineError({
  code: 'REPO_TAG_TAKEN',
  about: 'A protected tag of the tool repository names another commit already.',
  status: 409,
  fix: 'use a new version; a version that is published never changes',
})

export const RepoBusy = defineError({
  code: 'REPO_BUSY',
  about: 'As many git processes run as the server allows, for this tenant or altogether.',
  status: 503,
  fix: 'try again, or raise `processes` or `processesPerTenant` of the plugin "tool-repos"',
})

export const RepoGitUnusable = defineError({
  code: 'REPO_GIT_UNUSABLE',
  about: 'The server has no `git`, or one that is older than 2.37.',
  status: 503,
  fix: 'install git 2.37 or newer where the `PATH` of the server finds it; `amodal doctor` checks it',
})

export const RepoUnavailable = defineError({
  code: 'REPO_UNAVAILABLE',
  about: 'The tool repository could not be read or written.',
  status: 503,
  fix: 'see the log of the server',
})

/** The kinds of errors of this plugin. */
export const toolRepoErrors = [
  RepoBranchNotFound,
  RepoCommitNotFound,
  RepoFolderNotFound,
  RepoContentRefused,
  RepoTagTaken,
  RepoBusy,
  RepoGitUnusable,
  RepoUnavailable,
]
