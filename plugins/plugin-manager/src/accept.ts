import {
  CAPABILITY_KINDS,
  capabilityChanges,
  type LockedPlugin,
  type PackageCapabilities,
} from '@amodal/sdk/packages'
import type { PackageFolder } from './installed.ts'
import type { Staged } from './staging.ts'

/** The summary that is printed before a package is added. */
export function summary(
  name: string,
  { manifest, folder, isLinked }: PackageFolder,
  staged: Staged | undefined,
  locked: LockedPlugin | undefined,
): readonly string[] {
  const { version, license, description, amodal } = manifest
  const row = (label: string, text: string | undefined): readonly string[] =>
    text === undefined || text === '' ? [] : [`  ${label.padEnd(12)}${text}`]
  return [
    `${name} ${version}`,
    ...row('says', description),
    ...row('licence', license ?? 'none is named'),
    ...row('from', staged ? staged.from : `${folder}${isLinked ? ' (a link)' : ''}`),
    ...row('integrity', staged?.integrity),
    ...row('published', staged?.published),
    ...row('brings', staged?.brings.join(', ')),
    ...row('not run', staged?.scripted.map((one) => `install script of ${one}`).join(', ')),
    ...row('accepted', locked && `version ${locked.version}`),
    '  It declares that it:',
    ...(amodal?.capabilities ? capabilityLines(amodal.capabilities) : ['    (nothing)']),
    ...changes(locked, amodal?.capabilities ?? {}),
    '  A plugin runs in the process of the agent, with all of its rights. Hosts, secrets, tables,',
    '  routes, slots and hooks are limited to what it declares; imports, files and programs are not.',
  ]
}

const capabilityLines = (capabilities: PackageCapabilities): readonly string[] =>
  // the keys of a table of that type
  (Object.entries(CAPABILITY_KINDS) as [keyof PackageCapabilities, string][]).flatMap(
    ([kind, does]) => {
      const list = capabilities[kind] ?? []
      return list.length === 0 ? [] : [`    ${does} ${list.join(', ')}`]
    },
  )

function changes(locked: LockedPlugin | undefined, now: PackageCapabilities): readonly string[] {
  if (!locked?.capabilities) return []
  const lines = capabilityChanges(locked.capabilities, now).flatMap(({ kind, added, removed }) => [
    ...added.map((one) => `    + ${CAPABILITY_KINDS[kind]} ${one}`),
    ...removed.map((one) => `    - ${CAPABILITY_KINDS[kind]} ${one}`),
  ])
  return lines.length === 0
    ? ['  Nothing of that is new.']
    : [`  Since version ${locked.version}:`, ...lines]
}
