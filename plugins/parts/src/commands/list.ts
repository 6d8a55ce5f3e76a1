import { err, ok } from '@amodal/sdk'
import type { PkgCommand } from '../pkg-command.ts'
import { capabilityLines } from '../capability-lists.ts'
import { combineParts, type InstalledPackage } from '../combine.ts'
import { PartsNotFound, withFix } from '../errors.ts'
import type { AgentPackages } from '../locked.ts'
import { ownFiles } from '../own-files.ts'
import { readFolder } from '../folder-contents.ts'
import { folderOf, readStored } from '../package-store.ts'
import { partOf } from '../part-names.ts'
import { pathOf } from '../source.ts'
import { withAgent } from './change-packages.ts'

/** `amodal pkg list` */
export const listCommand: PkgCommand = {
  summary: 'List the packages of parts, and what they may reach',
  usage: 'amodal pkg list [--json] [--dir PATH]',
  examples: [['amodal pkg list', 'each with its version, its source and what was accepted']],
  options: { json: { type: 'boolean', description: 'Print the list as JSON' } },
  run: ({ options, print, ...context }) =>
    withAgent({ options, print, ...context }, (agent) => {
      const { locked, named } = agent
      if (options['json'] === true) print(JSON.stringify(Object.fromEntries(locked), null, 2))
      else if (locked.size === 0) print('There are no packages of parts.')
      else
        for (const [name, { version, resolved, capabilities, link }] of locked) {
          const isNamed = named.some((one) => one.name === name)
          const note = [link === true ? 'a link' : [], isNamed ? [] : 'needed by another'].flat()
          print(`${name} ${version}  ${resolved}${note.length > 0 ? `  (${note.join(', ')})` : ''}`)
          for (const line of capabilityLines(capabilities)) print(`    ${line}`)
        }
      return Promise.resolve(ok(undefined))
    }),
}

/** `amodal pkg why FILE` */
export const whyCommand: PkgCommand = {
  summary: 'Say which package a file or a part comes from',
  usage: 'amodal pkg why FILE|PART [--dir PATH]',
  about: [
    'FILE is a path as the agent has it, such as skills/triage/SKILL.md; PART is its name, such as skills.triage. A part of the agent folder counts in place of one of a package.',
  ],
  examples: [['amodal pkg why connections/crm/access.json', 'whose rules count']],
  options: {},
  run: (context) =>
    withAgent(context, async (agent) => {
      const [wanted, ...more] = context.arguments
      if (wanted === undefined || more.length > 0)
        return err(PartsNotFound('name one file or part: amodal pkg why FILE'))
      const path = wanted.replace(/^\.\//, '')
      const part = partOf(path) ?? path
      const own = await ownFiles(agent.root)
      const installed = await installedPackages(agent, context.signal)
      const { origins } = combineParts(own, installed)
      const found = origins.filter((one) => one.part === part)
      const hasOwn = own.some((file) => partOf(file.path) === part)
      if (found.length === 0 && !hasOwn)
        return err(
          withFix(PartsNotFound(`nothing here is called ${wanted}`), 'see `amodal pkg list`'),
        )
      if (hasOwn) context.print(`${part} is in the agent folder, which counts`)
      for (const { from, overridden } of found) {
        const locked = agent.locked.get(from)
        if (!locked) continue
        const where = folderOf(from, locked)
        const by = [...agent.locked].flatMap(([name, { dependencies }]) =>
          Object.hasOwn(dependencies, from) ? [name] : [],
        )
        const isNamed = agent.named.some(({ name }) => name === from)
        const reason = [
          ...(isNamed ? ['amodal.json names it'] : []),
          ...by.map((one) => `${one} needs it`),
        ]
        context.print(
          `${part} ${overridden ? 'also comes' : 'comes'} from ${from} ${locked.version} (${reason.join(', ')}), in ${where}`,
        )
      }
      return ok(undefined)
    }),
}

async function installedPackages(
  { root, locked, named }: AgentPackages,
  signal: AbortSignal,
): Promise<readonly InstalledPackage[]> {
  const packages: InstalledPackage[] = []
  for (const [name, entry] of locked) {
    const read =
      entry.link === true
        ? await readFolder(pathOf(entry.from, root), signal)
        : await readStored(root, name, entry, signal)
    const { use, line = 1 } = named.find((one) => one.name === name) ?? {}
    const { version, capabilities } = entry
    if (read.ok)
      packages.push({
        name,
        version,
        folder: folderOf(name, entry),
        contents: read.value,
        capabilities,
        line,
        ...(use && { use }),
      })
  }
  return packages
}
