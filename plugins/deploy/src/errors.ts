import { defineError, type Failure } from '@amodal/sdk'

export const SnapshotTampered = defineError({
  code: 'SNAPSHOT_TAMPERED',
  about: 'The files of a snapshot are not those that its manifest names.',
  status: 422,
  fix: 'build it again with `amodal deploy build`, or fetch it again from where it was built',
})

export const SnapshotUnreadable = defineError({
  code: 'SNAPSHOT_UNREADABLE',
  about: 'A file is no snapshot, or one of a format that this release does not read.',
  status: 422,
  fix: 'build it with `amodal deploy build` of this release',
})

export const SnapshotRefused = defineError({
  code: 'SNAPSHOT_REFUSED',
  about: 'An agent folder cannot become a snapshot, or a server cannot use one.',
  status: 422,
  fix: 'correct what the message names, and build it again',
})

export const SnapshotHoldsSecret = defineError({
  code: 'SNAPSHOT_HOLDS_SECRET',
  about: 'A file of the agent folder looks as if it held a secret.',
  status: 422,
  fix: 'take it out, and write "env:NAME" in its place; what was shared already has to be replaced',
})

export const DeploymentNotFound = defineError({
  code: 'DEPLOYMENT_NOT_FOUND',
  about: 'There is no snapshot with this id on the server.',
  status: 404,
  fix: 'see `amodal deploy list`, or push it',
})

export const NoEarlierDeployment = defineError({
  code: 'NO_EARLIER_DEPLOYMENT',
  about: 'There is nothing to roll back to.',
  status: 409,
  fix: 'name a snapshot with `amodal deploy promote ID`',
})

/** The kinds of errors of this plugin. */
export const deployErrors = [
  SnapshotTampered,
  SnapshotUnreadable,
  SnapshotRefused,
  SnapshotHoldsSecret,
  DeploymentNotFound,
  NoEarlierDeployment,
]

/** An error as two lines for the terminal. */
export const errorText = ({ code, message, fix }: Failure): string =>
  `${code}: ${message}${fix === undefined ? '' : `\nWhat to do: ${fix}.`}`
