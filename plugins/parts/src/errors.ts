import { defineError, type Failure } from '@amodal/sdk'

export const PartsRefused = defineError({
  code: 'PARTS_REFUSED',
  about: 'A package holds what no package of parts may hold, or is none.',
  fix: 'use another package, or ask its author',
})

export const PartsNotAccepted = defineError({
  code: 'PARTS_NOT_ACCEPTED',
  about: 'Nobody has accepted what a package of parts reaches.',
  fix: 'read what it reaches, and run the same with --yes',
})

export const PartsUndeclared = defineError({
  code: 'PARTS_UNDECLARED',
  about: 'The files of a package reach more than its package.json declares.',
  fix: 'ask its author to declare it in `amodal.capabilities` of package.json, or to remove it',
})

export const PartsTampered = defineError({
  code: 'PARTS_TAMPERED',
  about: 'The files of a package are not those that amodal.lock has.',
  fix: 'restore them with `amodal pkg install`; if that fails too, ask whoever runs the registry',
})

export const PartsConflict = defineError({
  code: 'PARTS_CONFLICT',
  about: 'Two packages bring the same part, or want different versions of a third.',
  fix: 'take the part from one of them with `use`, or write it into the agent folder',
})

export const PartsCycle = defineError({
  code: 'PARTS_CYCLE',
  about: 'Packages of parts depend on each other in a circle.',
  fix: 'ask the author of one of them to remove the dependency',
})

export const PartsNotLocked = defineError({
  code: 'PARTS_NOT_LOCKED',
  about: 'amodal.json and amodal.lock do not name the same packages.',
  fix: 'run `amodal pkg install`, and commit amodal.lock',
})

export const PartsNotFound = defineError({
  code: 'PARTS_NOT_FOUND',
  about: 'A package of parts cannot be found or fetched.',
  fix: 'check its name, its version, and the registry',
})

/** The kinds of errors of this plugin. */
export const partsErrors = [
  PartsRefused,
  PartsNotAccepted,
  PartsUndeclared,
  PartsTampered,
  PartsConflict,
  PartsCycle,
  PartsNotLocked,
  PartsNotFound,
]

/** An error with another next step than its kind has. */
export const withFix = (problem: Failure, fix: string): Failure => ({ ...problem, fix })
